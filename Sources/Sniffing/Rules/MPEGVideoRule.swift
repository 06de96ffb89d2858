/// MPEG-1 and MPEG-2 video, as a program stream or bare.
///
/// The pack header's version says nothing about the video in it: `ffmpeg -f mpeg` writes MPEG-2 into version
/// 1 packs. Apple calls both `public.mpeg`, "MPEG-1 or MPEG-2 movie", so a program stream needs no further
/// look.
///
/// Sources: ISO/IEC 11172-1 2.4.3.2 (pack), ISO/IEC 13818-2 6.2.2 (sequence header and extension).
enum MPEGVideoRule {
  static func examine(_ body: inout Body) throws(Shortage) -> Examination? {
    guard try body.has([0, 0, 1], at: 0) else { return nil }
    switch try body.byte(at: 3) {
    case 0xba: return .accepted(.mpeg)
    case 0xb3: return try .accepted(hasSequenceExtension(&body) ? .mpeg2 : .mpeg)
    case 0xb0: return .rejected(name: "MPEG-4 Part 2 video without a container")
    default: return nil
    }
  }

  /// MPEG-2 must, and MPEG-1 cannot, follow its first sequence header with an extension.
  private static func hasSequenceExtension(_ body: inout Body) throws(Shortage) -> Bool {
    // 12 bytes, two quantiser tables of 64 at most; zeros may pad what follows.
    for offset in 12..<512 where try body.has([0, 0, 1], at: offset) {
      return try body.byte(at: offset + 3) == 0xb5
    }
    return false
  }
}
