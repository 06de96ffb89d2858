/// Why a text is no JSON, or is not read. The description is one line.
package enum JSONError: Error, Equatable, CustomStringConvertible {
  /// `length` and `maximum` in bytes.
  case tooLong(length: Int, maximum: Int)
  /// The text starts with U+FEFF, which RFC 8259 section 8.1 forbids to senders.
  case byteOrderMark
  /// An array or object stands inside `maximum` others.
  case tooDeep(JSONPosition, maximum: Int)
  /// Not well-formed UTF-8 (RFC 3629): cut off, overlong, a surrogate, or beyond U+10FFFF. The position is
  /// that of the first byte of the sequence.
  case invalidUTF8(JSONPosition)
  /// The byte that was found; nil at the end of the text.
  case unexpected(UInt8?, JSONPosition, expected: JSONExpectation)

  package var description: String {
    switch self {
    case .tooLong(let length, let maximum): "\(length) bytes of JSON, at most \(maximum) are read"
    case .byteOrderMark:
      "line 1, column 1 (byte 0): starts with a byte order mark; JSON is UTF-8 without one"
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
    let digits = String(byte, radix: 16, uppercase: true)
    return "byte 0x\(byte < 0x10 ? "0" : "")\(digits)"
  }
}

/// What may stand at a place of a JSON text (RFC 8259): the states of the parser, and what errors name as
/// missing.
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

/// A place in a JSON text.
package struct JSONPosition: Equatable, Sendable, CustomStringConvertible {
  /// Bytes before it: 0 is the first byte.
  package let offset: Int
  /// Lines are ended by LF, the first is 1.
  package let line: Int
  /// Characters (Unicode scalars) from the start of the line, the first is 1.
  package let column: Int

  package var description: String { "line \(line), column \(column) (byte \(offset))" }
}

extension JSONPosition {
  /// Counts lines and columns, which nobody keeps while all goes well.
  init(offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    let newline = UInt8(ascii: "\n")
    self.offset = offset
    line = 1 + before.count { $0 == newline }
    let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
    column = 1 + before[start...].count { $0 & 0b1100_0000 != 0b1000_0000 }
  }
}
