/// Examines the four bytes at offset 8: the form of a RIFF or IFF file, or the brand of MPEG-4. To
/// add a code, add a row. Sources: Microsoft, "Resource Interchange File Format Services"; EBU Tech
/// 3306 (RF64); Electronic Arts, "EA IFF 85"; Apple, "Audio Interchange File Format: AIFF".
struct FormTable: Sendable {
  static let riff = FormTable(
    accepted: ["WAVE": .wav, "AVI ": .avi],
    refused: [
      "WEBP": "WebP image", "RMID": "MIDI music in RIFF", "ACON": "animated Windows cursor",
      "sfbk": "SoundFont", "AMV ": "AMV video",
    ], missing: "RIFF header without content"
  ) { form, _ in .rejected(name: "RIFF file of type “\(form)”") }

  static let iff = FormTable(
    accepted: ["AIFF": .aiff],
    refused: [
      "AIFC": "AIFF-C audio", "8SVX": "8SVX audio", "ILBM": "Amiga ILBM image", "PBM ": "Amiga ILBM image",
    ], missing: "IFF header without content"
  ) { form, _ in .rejected(name: "IFF file of type “\(form)”") }

  /// If the brand leaves it open, the tracks decide. libmagic goes by brand alone and calls 194 of
  /// 196 sound files "video/mp4", but iOS takes 5 MB of sound and 50 MB of video.
  static let brands = FormTable(
    // Apple's brand for sound, as "M4A " and "M4A\0".
    accepted: ["M4A": .m4a],
    refused: [
      "qt  ": "QuickTime movie", "3g": "3GPP video", "M4V": "M4V video", "M4B ": "M4B audiobook",
      "M4P ": "M4P protected audio", "heic": "HEIC image", "heix": "HEIC image", "heim": "HEIC image",
      "heis": "HEIC image", "hevc": "HEIC image sequence", "hevx": "HEIC image sequence",
      "mif1": "HEIF image", "mif2": "HEIF image", "msf1": "HEIF image sequence", "avif": "AVIF image",
      "avis": "AVIF image sequence", "jp2 ": "JPEG 2000 image", "jpx ": "JPEG 2000 image",
      "jpm ": "JPEG 2000 document", "mjp2": "Motion JPEG 2000 video", "mj2s": "Motion JPEG 2000 video",
      "jxl ": "JPEG XL image", "crx ": "Canon CR3 raw image", "dvr1": "DVB recording",
      "dvt1": "DVB recording",
    ], missing: "MP4 header without content"
  ) { _, body throws(Shortage) in
    switch try MovieTracks.find(in: &body) {
    case .picture: .accepted(.mp4)
    case .sound: .accepted(.m4a)
    case .neither: .rejected(name: "MP4 without tracks")
    }
  }

  /// Each key is a code, or the beginning of several codes.
  private var accepted: KeyValuePairs<String, MediaFormat> = [:]
  private var refused: KeyValuePairs<String, String> = [:]
  /// The name of a body that ends before the code.
  private let missing: String
  private let other: @Sendable (String, inout Body) throws(Shortage) -> Examination

  func examine(_ body: inout Body) throws(Shortage) -> Examination {
    guard let code = try body.code(at: 8) else { return .rejected(name: missing) }
    for (start, format) in accepted where try body.has(start.utf8, at: 8) { return .accepted(format) }
    for (start, name) in refused where try body.has(start.utf8, at: 8) { return .rejected(name: name) }
    // The formats pad codes with spaces.
    return try other(String(code.reversed().drop { $0 == " " }.reversed()), &body)
  }
}

extension FormTable {
  /// Refuses every code under this name.
  init(any name: String) { self.init(missing: name) { _, _ in .rejected(name: name) } }
}
