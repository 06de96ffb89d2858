internal import Supporting

/// Why a text is refused: it is not valid JSON, or exceeds a limit.
package enum JSONError: Error, Equatable, CustomStringConvertible {
  /// In bytes.
  case tooLong(length: Int, maximum: Int)
  /// The text starts with U+FEFF, which RFC 8259 section 8.1 forbids senders to add.
  case byteOrderMark
  case tooDeep(JSONPosition, maximum: Int)
  /// The text is not well-formed UTF-8 (RFC 3629). The position is where the bad sequence starts.
  case invalidUTF8(JSONPosition)
  /// The first value is the byte that was found; nil at the end of the text.
  case unexpected(UInt8?, JSONPosition, expected: JSONExpectation)

  package var description: String {
    switch self {
    case .tooLong(let length, let maximum): "\(length.asBytes) of JSON, at most \(maximum.asBytes) are read"
    case .byteOrderMark: "line 1, column 1 (byte 0): starts with a byte order mark; JSON is UTF-8 without one"
    case .tooDeep(let position, let maximum):
      "\(position): more than \(maximum) arrays and objects inside each other"
    case .invalidUTF8(let position): "\(position): not valid UTF-8"
    case .unexpected(let found, let position, let expected):
      "\(position): found \(Self.describe(found)), expected \(expected.rawValue)"
    }
  }

  private static func describe(_ byte: UInt8?) -> String {
    guard let byte else { return "the end of the text" }
    if (0x21...0x7E).contains(byte) { return "“\(Unicode.Scalar(byte))”" }
    return "byte 0x\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
  }
}

/// What may come next in a JSON text (RFC 8259). These are the parser's states; errors name them.
package enum JSONExpectation: String, Equatable, Sendable {
  case value = "a value"
  case valueOrBracket = "a value or “]”"
  case name = "a member name in double quotes"
  case nameOrBrace = "a member name in double quotes or “}”"
  case colon = "“:”"
  case commaOrBracket = "“,” or “]”"
  case commaOrBrace = "“,” or “}”"
  case endOfText = "nothing more"
  case literal = "true, false or null"
  case digit = "a digit"
  case closingQuote = "a closing double quote"
  case escape = #"one of " \ / b f n r t u after a backslash"#
  case hexadecimalDigit = #"four hexadecimal digits after \u"#
  case escapedControlCharacter = #"a control character as an escape, such as \n"#
}

package struct JSONPosition: Equatable, Sendable, CustomStringConvertible {
  /// In bytes, from 0.
  package let offset: Int
  /// From 1. LF ends a line.
  package let line: Int
  /// From 1, in Unicode scalars.
  package let column: Int

  package var description: String { "line \(line), column \(column) (byte \(offset))" }
}

extension JSONPosition {
  init(offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    let newline = UInt8(ascii: "\n")
    self.offset = offset
    line = 1 + before.count { $0 == newline }
    let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
    column = 1 + before[start...].count { $0 & 0b1100_0000 != 0b1000_0000 }
  }
}
