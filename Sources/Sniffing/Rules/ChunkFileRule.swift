/// RIFF and IFF: a tag, a length, and the form that says what the chunks mean.
///
/// Sources: Microsoft, "Resource Interchange File Format Services"; EBU Tech 3306 (RF64);
/// Electronic Arts, "EA IFF 85"; Apple, "Audio Interchange File Format: AIFF".
enum ChunkFileRule {
  static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    // Code by code: three letters of "RIFF" are no reason to wait for the form.
    for (tag, judge) in judges where try body.has(tag.utf8, at: 0) {
      let form = try body.code(at: 8)
      return judge(form)
    }
    return nil
  }

  private static let judges: [(tag: String, judge: @Sendable (FourCharacterCode?) -> Examination)] = [
    ("RIFF", riff), ("FORM", iff),
    ("RF64", { _ in .rejected(name: "RF64 audio (WAV over 4 GB)") }),
    ("BW64", { _ in .rejected(name: "BW64 audio (WAV over 4 GB)") }),
    ("RIFX", { _ in .rejected(name: "RIFX file (big-endian RIFF)") }),
  ]

  @Sendable private static func riff(_ form: FourCharacterCode?) -> Examination {
    switch form {
    case "WAVE": .accepted(.wav)
    case "AVI ": .accepted(.avi)
    case "WEBP": .rejected(name: "WebP image")
    case "RMID": .rejected(name: "MIDI music in RIFF")
    case "ACON": .rejected(name: "animated Windows cursor")
    case "sfbk": .rejected(name: "SoundFont")
    case "AMV ": .rejected(name: "AMV video")
    case .some(let other): .rejected(name: "RIFF file of type “\(other.text)”")
    case nil: .rejected(name: "RIFF header without content")
    }
  }

  @Sendable private static func iff(_ form: FourCharacterCode?) -> Examination {
    switch form {
    case "AIFF": .accepted(.aiff)
    case "AIFC": .rejected(name: "AIFF-C audio")
    case "8SVX": .rejected(name: "8SVX audio")
    case "ILBM", "PBM ": .rejected(name: "Amiga ILBM image")
    case .some(let other): .rejected(name: "IFF file of type “\(other.text)”")
    case nil: .rejected(name: "IFF header without content")
    }
  }
}
