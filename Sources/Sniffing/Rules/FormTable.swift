/// Examines four bytes near the start: the form of a RIFF or IFF file, or the brand of MPEG-4. To
/// add a code, add a row. Sources: Microsoft, "Resource Interchange File Format Services"; EBU Tech
/// 3306 (RF64); Electronic Arts, "EA IFF 85"; Apple, "Audio Interchange File Format: AIFF".
struct FormTable: Sendable {
  static let riff = FormTable(
    accepted: ["AVI ": .avi],
    refused: [
      "WEBP": "WebP image", "RMID": "MIDI music in RIFF", "ACON": "animated Windows cursor",
      "sfbk": "SoundFont", "AMV ": "AMV video",
    ], missing: "RIFF header without content"
  ) { form, body throws(Shortage) in
    form == "WAVE" ? try WaveRule.examine(&body) : .rejected(name: "RIFF file of type “\(form)”")
  }

  static let iff = FormTable(
    accepted: ["AIFF": .aiff],
    refused: [
      "8SVX": "8SVX audio", "ILBM": "Amiga ILBM image", "PBM ": "Amiga ILBM image",
    ], missing: "IFF header without content"
  ) { form, body throws(Shortage) in
    form == "AIFC" ? try AIFCRule.examine(&body) : .rejected(name: "IFF file of type “\(form)”")
  }

  /// WAVE with sizes of 64 bits, which are in its first chunk.
  static let rf64 = FormTable(missing: "RF64 header without content") { form, body throws(Shortage) in
    guard form == "WAVE", try body.has("ds64".utf8, at: 12) else {
      return .rejected(name: "RF64 file of type “\(form)”")
    }
    return try WaveRule.examine(&body)
  }

  /// For brands that are not refused, the tracks decide, even for Apple's brands for sound (M4A, M4B) and
  /// films (M4V). libmagic goes by brand alone and calls 194 of 196 sound files "video/mp4", but iOS
  /// takes 5 MB of sound and 50 MB of video.
  static let brands = FormTable(
    refused: [
      "qt  ": "QuickTime movie", "3g": "3GPP video", "M4P ": "M4P protected audio",
      "aax": "Audible audiobook", "heic": "HEIC image",
      "heix": "HEIC image", "heim": "HEIC image",
      "heis": "HEIC image", "hevc": "HEIC image sequence", "hevx": "HEIC image sequence",
      "mif1": "HEIF image", "mif2": "HEIF image", "msf1": "HEIF image sequence", "MiH": "HEIF image",
      "miaf": "HEIF image", "MA1": "AVIF image", "avif": "AVIF image",
      "avis": "AVIF image sequence", "jp2 ": "JPEG 2000 image", "jpx ": "JPEG 2000 image",
      "jpm ": "JPEG 2000 document", "mjp2": "Motion JPEG 2000 video", "mj2s": "Motion JPEG 2000 video",
      "jxl ": "JPEG XL image", "crx ": "Canon CR3 raw image", "dvr1": "DVB recording",
      "dvt1": "DVB recording",
    ], missing: "MP4 header without content"
  ) { _, body throws(Shortage) in try MovieRule.examineTracks(&body) }

  /// Each key is a code, or the beginning of several codes.
  private var accepted: KeyValuePairs<String, MediaFormat> = [:]
  private var refused: KeyValuePairs<String, String> = [:]
  /// The name of a body that ends before the code.
  private let missing: String
  private let other: @Sendable (String, inout Body) throws(Shortage) -> Examination

  func examine(_ body: inout Body, at offset: Int = 8) throws(Shortage) -> Examination {
    guard var code = try body.code(at: offset) else { return .rejected(name: missing) }
    for (start, format) in accepted where code.utf8.starts(with: start.utf8) { return .accepted(format) }
    for (start, name) in refused where code.utf8.starts(with: start.utf8) { return .rejected(name: name) }
    // The formats pad codes with spaces.
    while code.utf8.last == UInt8(ascii: " ") { code.removeLast() }
    return try other(code, &body)
  }
}

extension FormTable {
  /// Refuses every code under this name.
  init(any name: String) { self.init(missing: name) { _, _ in .rejected(name: name) } }
}
