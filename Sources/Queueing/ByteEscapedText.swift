/// Converts any bytes that Redis or SQLite stores to text and back. Each byte that is not UTF-8
/// becomes a private-use character, U+10FE80 to U+10FEFF. If the text already contains one of these
/// characters, its bytes are escaped the same way.
package enum ByteEscapedText {
  private static let first: UInt32 = 0x10_FE00
  private static let range = first + 0x80...first + 0xFF
  /// The first UTF-8 byte of these characters.
  static let lead: UInt8 = 0xF4

  /// Returns text that `bytes(_:)` converts back to the same bytes.
  package static func text(_ bytes: [UInt8]) -> String {
    if !bytes.contains(lead), let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var input = bytes.makeIterator()
    var start = 0
    while true {
      switch parser.parseScalar(from: &input) {
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        if range.contains(scalar.value) { text += encoded.lazy.map(escape) } else { text.append(scalar) }
        start += encoded.count
      case .error(let length):
        text += bytes[start..<start + length].lazy.map(escape)
        start += length
      case .emptyInput: return String(text)
      }
    }
  }

  /// Returns the bytes that `text(_:)` made this text from. Any other text becomes its UTF-8.
  package static func bytes(_ text: String) -> [UInt8] {
    guard text.utf8.contains(lead) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      range.contains(scalar.value) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(Character(scalar).utf8)
    }
  }

  private static func escape(_ byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(first + UInt32(byte)) ?? "\u{FFFD}"
  }
}
