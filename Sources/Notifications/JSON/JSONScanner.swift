internal import Supporting

/// The words of JSON: steps over one token from `offset` on and throws where it is none.
struct JSONScanner {
  let bytes: [UInt8]
  var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

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

  /// RFC 8259 section 6. What stands behind the number is the caller's to judge.
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

  /// RFC 8259 section 7, from the opening quote on. A surrogate escape may stand alone, as the grammar has
  /// it.
  mutating func scanString() throws(JSONError) {
    offset += 1
    while let byte {
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        return
      case UInt8(ascii: "\\"): try scanEscape()
      case ..<0x20: throw unexpected(.escapedControlCharacter)
      case ..<0x80: offset += 1
      default:
        guard let length = UTF8Sequence.length(at: offset, in: bytes) else {
          throw .invalidUTF8(position)
        }
        offset += length
      }
    }
    throw unexpected(.closingQuote)
  }

  private mutating func scanEscape() throws(JSONError) {
    offset += 1
    switch byte {
    case UInt8(ascii: "u"):
      offset += 1
      for _ in 0..<4 {
        guard let byte, JSONEscape.hexadecimalDigit(byte) != nil else {
          throw unexpected(.hexadecimalDigit)
        }
        offset += 1
      }
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 1
    default: throw unexpected(.escape)
    }
  }

  /// How many tape entries the text needs if it is JSON: one for each bracket, and one scalar at most for
  /// each comma and colon and for the start of each container and of the text.
  func countOfNodes() -> Int {
    var count = 1
    var isInString = false
    var isEscaped = false
    for byte in bytes {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"),
        UInt8(ascii: "{"), UInt8(ascii: "}"):
        count += 1
      default: break
      }
    }
    return count
  }
}
