/// The header of one box of an ISO media file (ISO/IEC 14496-12, 4.2).
struct Box {
  let type: String
  /// The start of its content.
  let content: Int
  /// The start of the next box, or `Int.max` if that is beyond any file or the box has no end.
  let end: Int

  /// Returns nil if the body ends before that, or if there is no valid box.
  init?(at offset: Int, in body: inout Body) throws(Shortage) {
    guard let short = try body.number(at: offset), let type = try body.code(at: offset + 4) else {
      return nil
    }
    var header = 8
    var size = UInt64(short)
    if short == 1 {
      guard let high = try body.number(at: offset + 8), let low = try body.number(at: offset + 12) else {
        return nil
      }
      header = 16
      size = UInt64(high) << 32 | UInt64(low)
    } else if short == 0 {
      size = .max
    }
    guard size >= UInt64(header) else { return nil }
    let (end, overflow) = offset.addingReportingOverflow(Int(clamping: size))
    self.type = type
    self.content = offset + header
    self.end = overflow ? .max : end
  }
}
