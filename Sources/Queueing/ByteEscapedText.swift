/// Bytes as text and back again, whatever they are: Redis and SQLite take any. What is UTF-8 is that text; a byte that is not stands as
/// a character for private use, U+10FE80 to U+10FEFF, and those themselves stand as their bytes do.
package enum ByteEscapedText {
  private static let first: UInt32 = 0x10_FE00
  private static let range = first + 0x80...first + 0xFF
  /// What the UTF-8 of all of them begins with.
  private static let lead: UInt8 = 0xF4

  /// - Returns: what `bytes(_:)` makes the same bytes of again.
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
        if range.contains(scalar.value) { text += encoded.lazy.map(stand) } else { text.append(scalar) }
        start += encoded.count
      case .error(let length):
        text += bytes[start..<start + length].lazy.map(stand)
        start += length
      case .emptyInput: return String(text)
      }
    }
  }

  /// UTF-8, but for what stands for bytes.
  package static func bytes(_ text: String) -> [UInt8] {
    guard text.utf8.contains(lead) else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      if range.contains(scalar.value) {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes += UTF8.encode(scalar).map(Array.init) ?? []
      }
    }
    return bytes
  }

  /// - Parameter byte: 0x80 or more, as all are that are no text by themselves.
  static func stand(for byte: UInt8) -> Unicode.Scalar {
    Unicode.Scalar(first + UInt32(byte)) ?? "\u{FFFD}"
  }
}
