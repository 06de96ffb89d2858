internal import Supporting

/// Steps over JSON tokens. Each `scan` method throws unless its token is at `offset`.
struct JSONScanner {
  let bytes: [UInt8]
  var offset = 0

  /// The next byte; nil at the end.
  var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }
  var position: JSONPosition { JSONPosition(offset: offset, in: bytes) }

  func unexpected(_ expected: JSONExpectation) -> JSONError {
    .unexpected(byte, position, expected: expected)
  }

  mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
  }

  mutating func scanLiteral(_ literal: String) throws(JSONError) {
    for expected in literal.utf8 {
      guard byte == expected else { throw unexpected(.literal) }
      offset += 1
    }
  }

  /// RFC 8259 section 6. Does not check the byte after the number.
  mutating func scanNumber() throws(JSONError) {
    if byte == UInt8(ascii: "-") { offset += 1 }
    if byte == UInt8(ascii: "0") { offset += 1 } else { try scanDigits() }
    if byte == UInt8(ascii: ".") {
      offset += 1
      try scanDigits()
    }
    if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
      offset += 1
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
      try scanDigits()
    }
  }

  private mutating func scanDigits() throws(JSONError) {
    let start = offset
    while let byte, byte.isASCIIDigit { offset += 1 }
    guard offset > start else { throw unexpected(.digit) }
  }

  /// RFC 8259 section 7, which allows an escaped lone surrogate.
  mutating func scanString() throws(JSONError) {
    let start = offset
    var seen: UInt8 = 0
    var mistake: JSONError?
    do throws(JSONError) { try scanCharacters(&seen) } catch { mistake = error }
    // Reported first, because the invalid UTF-8 is before the place of any other mistake.
    if seen >= 0x80 {
      do throws(UTF8.ValidationError) {
        _ = try UTF8Span(validating: bytes.span.extracting(start..<offset))
      } catch {
        throw .invalidUTF8(JSONPosition(offset: start + error.byteOffsets.lowerBound, in: bytes))
      }
    }
    if let mistake { throw mistake }
  }

  /// - Parameter seen: collects the bits of all unescaped bytes.
  private mutating func scanCharacters(_ seen: inout UInt8) throws(JSONError) {
    offset += 1
    // Not before each byte: where it stops, the text ends soon, or has an escape.
    skipPlainBytes(&seen)
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case UInt8(ascii: "\\"):
        try scanEscape()
        skipPlainBytes(&seen)
      case ..<0x20: throw unexpected(.escapedControlCharacter)
      default:
        seen |= byte
        offset += 1
      }
    }
    throw unexpected(.closingQuote)
  }

  private mutating func scanEscape() throws(JSONError) {
    offset += 1
    guard let escape = byte, #""\/bfnrtu"#.utf8.contains(escape) else { throw unexpected(.escape) }
    offset += 1
    guard escape == UInt8(ascii: "u") else { return }
    for _ in 0..<4 {
      guard let byte, JSONEscape.hexadecimalDigit(byte) != nil else { throw unexpected(.hexadecimalDigit) }
      offset += 1
    }
  }

  /// An upper bound of the tape's length: an entry for the root, for what may follow each comma,
  /// colon and opening bracket, and for each closing bracket. Counts punctuation in strings too.
  var maximumCountOfNodes: Int {
    1
      + bytes.sum { byte in
        // Setting this bit turns a bracket into a brace.
        let brace = byte | 0x20
        return (byte == UInt8(ascii: ",") ? 1 : 0) | (byte == UInt8(ascii: ":") ? 1 : 0)
          | (brace == UInt8(ascii: "{") ? 1 : 0) | (brace == UInt8(ascii: "}") ? 1 : 0)
      }
  }
}
