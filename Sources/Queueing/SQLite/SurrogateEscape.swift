/// Lone surrogates such as `\ud83d` in JSON, which no String can hold. Represented as SQLite does, by the
/// three bytes UTF-8 would use, each escaped by `ByteEscapedText`.
enum SurrogateEscape {
  private static let backslash = UInt8(ascii: "\\")

  /// Converts escapes of lone surrogates to bytes.
  /// - Parameter json: text that should be JSON; it is not checked.
  static func read(_ json: String) -> String {
    guard json.utf8.contains(backslash) else { return json }
    var text: [UInt8] = []
    var rest = Array(json.utf8)[...]
    while let byte = rest.popFirst() {
      text.append(byte)
      guard byte == backslash else { continue }
      guard let unit = codeUnit(rest) else {
        // The second of two backslashes does not begin an escape.
        if let escaped = rest.popFirst() { text.append(escaped) }
        continue
      }
      var length = 5
      switch unit {
      case 0xD800...0xDBFF where rest.dropFirst(5).first == backslash && isLow(codeUnit(rest.dropFirst(6))):
        length = 11
        fallthrough
      case 0..<0xD800, 0xE000...: text += rest.prefix(length)
      default:
        text.removeLast()
        for byte in bytes(unit) { text += String(ByteEscapedText.stand(for: byte)).utf8 }
      }
      rest = rest.dropFirst(length)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Converts those bytes back to escapes.
  static func write(_ json: String) -> String {
    guard json.utf8.contains(0xF4) else { return json }
    var text = ""
    var rest = Array(json.unicodeScalars)[...]
    while let scalar = rest.first {
      let three = rest.prefix(3).flatMap { ByteEscapedText.bytes(String($0)) }
      if three.count == 3, let unit = unit(three) {
        text += "\\u" + String(unit, radix: 16)
        rest = rest.dropFirst(3)
      } else {
        text.unicodeScalars.append(scalar)
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The number in `uXXXX`, if `text` begins with that.
  private static func codeUnit(_ text: ArraySlice<UInt8>) -> UInt32? {
    let digits = text.dropFirst().prefix(4)
    guard text.first == UInt8(ascii: "u"), digits.count == 4 else { return nil }
    var unit: UInt32 = 0
    for digit in digits {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt32(value)
    }
    return unit
  }

  private static func isLow(_ unit: UInt32?) -> Bool { unit.map { (0xDC00...0xDFFF).contains($0) } ?? false }

  /// The three bytes that UTF-8 would use.
  private static func bytes(_ surrogate: UInt32) -> [UInt8] {
    [
      0xED, UInt8(truncatingIfNeeded: 0x80 | surrogate >> 6 & 0x3F),
      UInt8(truncatingIfNeeded: 0x80 | surrogate & 0x3F),
    ]
  }

  /// - Returns: nil for bytes that are not a surrogate.
  private static func unit(_ bytes: [UInt8]) -> UInt32? {
    guard bytes[0] == 0xED, (0xA0...0xBF).contains(bytes[1]), (0x80...0xBF).contains(bytes[2]) else {
      return nil
    }
    return 0xD000 | UInt32(bytes[1] & 0x3F) << 6 | UInt32(bytes[2] & 0x3F)
  }
}
