/// A type of file that iOS accepts as an attachment.
struct MediaType: Sendable {
  /// How iOS plays it.
  enum Family: Sendable {
    case audio, image, video

    /// In bytes. MB is 1,000,000, as push-enricher counts by default
    /// (developer.apple.com/documentation/usernotifications/unnotificationattachment).
    var limit: Int {
      switch self {
      case .audio: 5_000_000
      case .image: 10_000_000
      case .video: 50_000_000
      }
    }
  }

  /// Bytes at a place near the start of a file.
  struct Mark: Sendable {
    let offset: Int
    let text: [UInt8]

    init(_ text: String, at offset: Int = 0) {
      (self.offset, self.text) = (offset, Array(text.unicodeScalars.map { UInt8($0.value) }))
    }

    func fits(_ start: [UInt8]) -> Bool { start.dropFirst(offset).starts(with: text) }
  }

  /// As push-enricher writes it.
  let identifier: String
  let family: Family
  /// iOS relies on it.
  let filenameExtension: String
  /// Each list is one way for a file to begin. Empty if there are too many ways: then any file fits that does not
  /// begin like another type.
  let beginnings: [[Mark]]

  private init(
    _ identifier: String, _ family: Family, _ filenameExtension: String, _ beginnings: [[Mark]] = []
  ) {
    (self.identifier, self.family) = (identifier, family)
    (self.filenameExtension, self.beginnings) = (filenameExtension, beginnings)
  }

  static let all = [
    MediaType(
      "public.aiff-audio", .audio, "aiff",
      [[Mark("FORM"), Mark("AIFF", at: 8)], [Mark("FORM"), Mark("AIFC", at: 8)]]),
    MediaType(
      "com.microsoft.waveform-audio", .audio, "wav",
      ["RIFF", "RF64", "RIFX"].map { [Mark($0), Mark("WAVE", at: 8)] }),
    MediaType("public.mp3", .audio, "mp3"),
    MediaType("public.mpeg-4-audio", .audio, "m4a"),
    MediaType("public.jpeg", .image, "jpg", [[Mark("\u{FF}\u{D8}\u{FF}")]]),
    MediaType("com.compuserve.gif", .image, "gif", [[Mark("GIF8")]]),
    MediaType("public.png", .image, "png", [[Mark("\u{89}PNG\r\n\u{1A}\n")]]),
    MediaType("public.mpeg", .video, "mpg"),
    MediaType("public.mpeg-2-video", .video, "m2v"),
    MediaType("public.mpeg-4", .video, "mp4"),
    MediaType("public.avi", .video, "avi", [[Mark("RIFF"), Mark("AVI ", at: 8)]]),
  ]

  /// How many bytes of a file are checked.
  static let startLength = 12

  /// Whether a file may be of this type.
  /// - Parameter start: its first bytes.
  func fits(_ start: [UInt8]) -> Bool {
    if !beginnings.isEmpty { return begins(start) }
    return !Self.all.contains { $0.begins(start) }
  }

  private func begins(_ start: [UInt8]) -> Bool {
    beginnings.contains { marks in marks.allSatisfy { $0.fits(start) } }
  }
}
