/// Examines AIFF-C (Apple, "Audio Interchange File Format AIFF-C", 1991), which is AIFF with a codec.
enum AIFCRule {
  /// What iOS decodes: linear PCM in both byte orders, A-law, µ-law and IMA 4:1 (Apple, "Multimedia
  /// Programming Guide", "Audio Playback and Recording Formats").
  private static let codecs: Set<String> = [
    "NONE", "twos", "sowt", "raw ", "in24", "in32", "fl32", "FL32", "fl64", "FL64", "alaw", "ALAW", "ulaw",
    "ULAW", "ima4",
  ]

  static func examine(_ body: inout Body) throws(Shortage) -> Examination {
    var codec: String?
    var hasSound = false
    var offset = 12
    // Real files have three chunks before the sound.
    for _ in 0..<16 {
      guard let kind = try body.code(at: offset), let size = try body.number(at: offset + 4) else { break }
      if kind == "SSND" { hasSound = true }
      // The codec follows channels, frames, bits and the sample rate.
      if kind == "COMM", size >= 22 { codec = try body.code(at: offset + 26) }
      if let codec, !codecs.contains(codec) { return .rejected(name: "AIFF-C audio of type “\(codec)”") }
      if codec != nil, hasSound { return .accepted(.aiff) }
      offset += 8 + Int(size) + Int(size & 1)
    }
    return .rejected(name: "AIFF-C without sound")
  }
}
