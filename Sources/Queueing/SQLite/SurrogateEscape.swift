internal import Supporting

/// Lone surrogates such as `\ud83d` in JSON, which a String cannot hold. As in SQLite, they become
/// the three bytes that UTF-8 would use. Each byte is escaped by `ByteEscapedText`.
enum SurrogateEscape {
  private static let backslash = UInt8(ascii: "\\")

  /// Converts escapes of lone surrogates to bytes.
  /// - Parameter json: text that should be JSON. It is not checked.
  static func read(_ json: String) -> String {
    guard json.utf8.contains(backslash) else { return json }
    var bytes: [UInt8] = []
    var rest = ByteEscapedText.bytes(json)[...]
    while let start = rest.firstIndex(of: backslash) {
      bytes += rest[..<start]
      rest = rest[start...]
      let (unit, next) = (codeUnit(rest), codeUnit(rest.dropFirst(6)))
      let isPair = 0xD800...0xDBFF ~= unit && 0xDC00...0xDFFF ~= next
      let isLone = 0xD800...0xDFFF ~= unit && !isPair
      // The second of two backslashes does not begin an escape.
      let escape = rest.prefix(isPair ? 12 : isLone ? 6 : 2)
      bytes += isLone ? [0xED, UInt8(0x80 | unit >> 6 & 0x3F), UInt8(0x80 | unit & 0x3F)] : escape
      rest = rest.dropFirst(escape.count)
    }
    return ByteEscapedText.text(bytes + rest)
  }

  /// Converts those bytes back to escapes. Valid UTF-8 does not contain them.
  static func write(_ json: String) -> String {
    guard json.utf8.contains(ByteEscapedText.lead) else { return json }
    var bytes: [UInt8] = []
    var rest = ByteEscapedText.bytes(json)[...]
    while let byte = rest.popFirst() {
      let tail = Array(rest.prefix(2))
      if byte == 0xED, tail.count == 2, 0xA0...0xBF ~= tail[0], 0x80...0xBF ~= tail[1] {
        let unit = 0xD000 | UInt32(tail[0] & 0x3F) << 6 | UInt32(tail[1] & 0x3F)
        bytes += "\\u\(String(unit, radix: 16))".utf8
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return ByteEscapedText.text(bytes)
  }

  /// The number in `\uXXXX` if `text` begins with one, otherwise 0.
  private static func codeUnit(_ text: ArraySlice<UInt8>) -> UInt32 {
    text.starts(with: #"\u"#.utf8) ? text.dropFirst(2).hexadecimalNumber(digits: 4) ?? 0 : 0
  }
}
