internal import Notifications

/// A string of JSON as it is spelled, which may be a key.
extension ArraySlice<UInt8> {
  /// Wipes what it has to decode: JSON's strings are the same whatever their spelling.
  package func decodingEscapes<Result>(
    _ body: (Span<UInt8>) throws(DecryptingError) -> Result
  ) throws(DecryptingError) -> Result {
    guard contains(UInt8(ascii: "\\")) else { return try body(span) }
    var text = JSONEscape.decode(self)
    defer { text.wipe() }
    return try body(text.span)
  }
}
