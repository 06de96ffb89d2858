/// Names for what libmagic has no MIME type for, for what it calls text, and for what may stand behind an ID3
/// tag.
enum SignatureRule {
  static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    if let name = try name(at: 0, in: &body) { return .rejected(name: name) }
    return try isTransportStream(&body) ? .rejected(name: "MPEG transport stream") : nil
  }

  static func name(at offset: Int, in body: inout Body) throws(Shortage) -> String? {
    for (signature, name) in signatures where try body.has(signature.utf8, at: offset) { return name }
    return nil
  }

  private static let signatures: [(signature: String, name: String)] = [
    ("fLaC", "FLAC audio"), ("MAC ", "Monkey’s Audio"), ("wvpk", "WavPack audio"),
    ("MPCK", "Musepack audio"), ("MP+", "Musepack audio"), ("TTA1", "True Audio"), ("caff", "CAF audio"),
    ("RIFF", "RIFF media"), ("FORM", "IFF media"), ("#!AMR", "AMR audio"), (".snd", "AU audio"),
    ("%PDF-", "PDF document"), ("%!PS", "PostScript document"),
  ]

  /// Packets of 188 bytes, each starting with 47 hexadecimal; on Blu-ray behind a time stamp of four bytes.
  ///
  /// Source: ISO/IEC 13818-1, 2.4.3.2; libmagic wants the programme table first and misses half of them.
  private static func isTransportStream(_ body: inout Body) throws(Shortage) -> Bool {
    for (start, packet) in [(0, 188), (4, 192)] where try body.byte(at: start) == 0x47 {
      let second = try body.byte(at: start + packet)
      let third = try body.byte(at: start + 2 * packet)
      if second == 0x47, third == 0x47 { return true }
    }
    return false
  }
}
