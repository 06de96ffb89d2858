internal import Supporting

/// RFC 4648. Not for secrets: the time it takes depends on the text.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// With the alphabet for URLs, without padding (section 5; RFC 7515 section 2).
  static func encodeForURL(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var value = 0
    var pending = 0
    for byte in bytes {
      value = value << 8 | Int(byte)
      pending += 8
      while pending >= 6 {
        pending -= 6
        text.append(alphabet[value >> pending & 63])
      }
      value &= 63
    }
    if pending > 0 { text.append(alphabet[value << (6 - pending) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads both alphabets, with or without padding. Nil for any other text, and if bits are left over.
  static func decode(_ text: String.UTF8View) -> [UInt8]? {
    var digits = text[...]
    if text.count.isMultiple(of: 4) {
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count * 3 / 4)
    var value = 0
    var pending = 0
    for byte in digits {
      guard let digit = digit(byte) else { return nil }
      value = (value << 6 | digit) & 0xFFFF
      pending += 6
      if pending >= 8 {
        pending -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> pending))
      }
    }
    return pending < 6 && value & (1 << pending - 1) == 0 ? bytes : nil
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte) - 0x41
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte) - 0x61 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte) - 0x30 + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
