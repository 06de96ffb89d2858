/// Why a text is no JSON, or none that is taken. The description is one line.
package enum JSONError: Error, Equatable {
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
}

extension JSONError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLong(let length, let maximum):
      "\(length) bytes of JSON, at most \(maximum) are read"
    case .byteOrderMark:
      "line 1, column 1 (byte 0): starts with a byte order mark; JSON is UTF-8 without one"
    case .tooDeep(let position, let maximum):
      "\(position): more than \(maximum) arrays and objects inside each other"
    case .invalidUTF8(let position):
      "\(position): not valid UTF-8"
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
