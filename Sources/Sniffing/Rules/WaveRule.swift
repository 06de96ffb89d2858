/// Examines the chunks of a RIFF file of type WAVE (Microsoft, "Multimedia Programming Interface and
/// Data Specifications 1.0" and "New Multimedia Data Types"). Its codec must be one that Apple's
/// systems play.
enum WaveRule {
  static func examine(_ body: inout Body) throws(Shortage) -> Examination {
    // Nil before the format. 0 if it does not say how many there are.
    var bytesPerSecond: Int?
    var offset = 12
    // Studio recorders write a dozen chunks before the sound.
    for _ in 0..<24 {
      guard let kind = try body.code(at: offset), let size = try body.number(at: offset + 4) else { break }
      let content = offset + 8
      if kind == "fmt " {
        guard let codec = try codec(at: content, size.byteSwapped, in: &body) else { break }
        if !played.contains(codec) { return .rejected(name: name(of: codec)) }
        guard let bits = try body.littleShort(at: content + 14), bits > 0 || !unpacked.contains(codec),
          let channels = try body.littleShort(at: content + 2),
          let rate = try body.littleNumber(at: content + 4), channels > 0, rate > 0
        else { break }
        bytesPerSecond = try body.littleNumber(at: content + 8).map { Int($0) }
      } else if kind == "data" {
        guard let bytesPerSecond else { break }
        for (start, name) in disguised where try body.has(start, at: content) { return .rejected(name: name) }
        // The length is 0 in an empty sound, and if a program writes to a pipe.
        let length = try soundLength(Int(size.byteSwapped), in: &body)
        if length > 0, try body.byte(at: content + min(4, length) - 1) == nil { break }
        // It can also be all ones, or nearly.
        if bytesPerSecond > 0, 1..<0xffff_0000 ~= length {
          body.facts.milliseconds = length * 1_000 / bytesPerSecond
        }
        return .accepted(.wav)
      }
      offset = content + Int(size.byteSwapped)
      // A zero pads chunks of odd length. Some programs leave it out.
      if size.byteSwapped & 1 == 1, try body.byte(at: offset) == 0 { offset += 1 }
    }
    return .rejected(name: "WAVE header without sound")
  }

  /// The length of the sound in bytes, or 0 if it is unknown. RF64 has the length in its first chunk, and all ones
  /// at the sound itself (EBU Tech 3306, 3.4).
  private static func soundLength(_ stated: Int, in body: inout Body) throws(Shortage) -> Int {
    guard stated == 0xffff_ffff, try body.has("RF64".utf8, at: 0),
      let low = try body.littleNumber(at: 28), let high = try body.littleNumber(at: 32)
    else { return stated }
    return Int(clamping: UInt64(high) << 32 | UInt64(low))
  }

  /// The code of the codec. WAVE_FORMAT_EXTENSIBLE has it at the start of a longer identifier.
  private static func codec(
    at content: Int, _ size: UInt32, in body: inout Body
  ) throws(Shortage) -> Int? {
    guard let code = try body.littleShort(at: content) else { return nil }
    return code == 0xfffe && size >= 40 ? try body.littleShort(at: content + 24) : code
  }

  /// PCM, float, A-law, µ-law and IMA ADPCM (Apple, "Multimedia Programming Guide", "Using Audio"),
  /// and Microsoft ADPCM (Apple, "Core Audio Overview", "Supported Audio File and Data Formats").
  private static let played: Set = [0x0001, 0x0003, 0x0006, 0x0007, 0x0011, 0x0002]

  /// Codecs whose header must state how many bits a sample has.
  private static let unpacked: Set = [0x0001, 0x0003]

  private static func name(of codec: Int) -> String {
    let code = String(codec, radix: 16)
    return (names[codec] ?? "codec 0x\(String(repeating: "0", count: 4 - code.count))\(code)") + " in WAVE"
  }

  /// Microsoft, mmreg.h.
  private static let names: [Int: String] = [
    0x0008: "DTS audio", 0x0010: "OKI ADPCM audio", 0x0016: "G.723 audio", 0x0020: "Yamaha ADPCM audio",
    0x0022: "TrueSpeech audio", 0x0031: "GSM 6.10 audio", 0x0040: "G.721 audio", 0x0042: "G.723.1 audio",
    0x0045: "G.726 audio", 0x0050: "MP2 audio (MPEG Layer II)", 0x0055: "MP3 audio", 0x0064: "G.726 audio",
    0x0083: "G.729 audio", 0x00ff: "AAC audio", 0x0092: "S/PDIF audio", 0x0130: "Sipro audio",
    0x0160: "Windows Media audio", 0x0161: "Windows Media audio", 0x0162: "Windows Media audio",
    0x0163: "Windows Media audio", 0x0270: "ATRAC3 audio", 0x1600: "AAC audio in ADTS",
    0x1602: "AAC audio in LATM", 0x1610: "AAC audio", 0x2000: "AC-3 audio", 0x2001: "DTS audio",
    0x5756: "WavPack audio", 0x566f: "Vorbis audio", 0x674f: "Vorbis audio", 0x6750: "Vorbis audio",
    0x6751: "Vorbis audio", 0x676f: "Vorbis audio", 0x6770: "Vorbis audio", 0x6771: "Vorbis audio",
    0x704f: "Opus audio", 0xa106: "AAC audio", 0xa109: "Speex audio", 0xf1ac: "FLAC audio",
  ]

  /// Sound of other codecs after a header that says PCM. As PCM, it is loud noise.
  private static let disguised: [([UInt8], String)] = [
    // WavPack before version 4.
    (Array("wvpk".utf8), "WavPack audio in WAVE"), (Array("OggS".utf8), "Ogg audio in WAVE"),
    (Array("fLaC".utf8), "FLAC audio in WAVE"), ([0x7f, 0xfe, 0x80, 0x01], "DTS audio in WAVE"),
    // On CDs: words of 14 or 16 bits, or a burst (IEC 61937-1, 6.1.7).
    ([0xff, 0x1f, 0x00, 0xe8], "DTS audio in WAVE"), ([0xfe, 0x7f, 0x01, 0x80], "DTS audio in WAVE"),
    ([0x72, 0xf8, 0x1f, 0x4e], "S/PDIF audio in WAVE"),
  ]
}
