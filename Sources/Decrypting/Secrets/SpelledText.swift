internal import Notifications

/// A JSON string as the payload spells it. It may be a key.
extension ArraySlice<UInt8> {
  /// Decodes escapes, because a string can be spelled in many ways, and wipes the decoded copy.
  package func decodingEscapes<Result>(
    _ body: (Span<UInt8>) throws(DecryptingError) -> Result
  ) throws(DecryptingError) -> Result {
    guard contains(UInt8(ascii: "\\")) else { return try body(span) }
    var text = JSONEscape.decode(self)
    defer { text.wipe() }
    return try body(text.span)
  }
}
