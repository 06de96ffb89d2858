/// Video without a container: units that start with 00 00 01. More zeros may precede each unit
/// (ISO/IEC 11172-2 and 13818-2, next_start_code; ITU-T H.264, H.265 and H.266 annex B).
enum StartCodeRule {
  /// - Parameter offset: the offset of the last two zeros before the 1.
  static func examine(_ body: inout Body, at offset: Int) throws(Shortage) -> Examination? {
    guard try body.has([0, 0, 1], at: offset), let code = try body.byte(at: offset + 3) else { return nil }
    switch code {
    case 0xb3: return try sequence(at: offset, in: &body)
    case 0xba: return try isPack(at: offset, in: &body) ? .accepted(.mpeg) : nil
    default: return try name(of: code, at: offset, in: &body).map { .rejected(name: $0) }
    }
  }

  /// Only MPEG-2 has an extension after its first sequence header, which has 12 bytes and up to two
  /// quantizer tables of 64. Zeros may pad what follows.
  static func sequence(at start: Int, in body: inout Body) throws(Shortage) -> Examination {
    for offset in start + 12..<start + 512 where try body.has([0, 0, 1], at: offset) {
      return try .accepted(body.byte(at: offset + 3) == 0xb5 ? .mpeg2 : .mpeg)
    }
    return .accepted(.mpeg)
  }

  /// 0010 is MPEG-1, 01 is MPEG-2 (ISO/IEC 11172-1 2.4.3.2, 13818-1 2.5.3.3).
  private static func isPack(at offset: Int, in body: inout Body) throws(Shortage) -> Bool {
    guard let next = try body.byte(at: offset + 4) else { return false }
    return next >> 4 == 2 || next >> 6 == 1
  }

  private static func name(
    of code: UInt8, at offset: Int, in body: inout Body
  ) throws(Shortage) -> String? {
    let next = try body.byte(at: offset + 4)
    switch (code, next) {
    case (0xb0, _): return "MPEG-4 Part 2 video without a container"
    case (0x0f, _): return "VC-1 video without a container"
    case (0xbb...0xbd, _), (0xc0...0xef, _): return "piece of an MPEG program stream"
    // The types of parameter sets, delimiters and messages, which come first.
    case (0x40, 1), (0x42, 1), (0x44, 1), (0x46, 1), (0x4e, 1): return "HEVC video without a container"
    case (0x09, let next?) where next & 0x1f == 0x10: return "H.264 video without a container"
    case (0x06, _), (0x27, _), (0x47, _), (0x67, _): return "H.264 video without a container"
    // At offset 0, these bytes would be the start of an icon.
    case (0, let next?) where offset > 0 && [0x61, 0x69, 0x71, 0x79, 0x81, 0xa1, 0xb9].contains(next):
      return "VVC video without a container"
    default: return nil
    }
  }
}
