/// An encoding of RFC 4648 in canonical form: no padding, no line breaks, no bits left over. Only
/// one text stands for given bytes, apart from case in base 16 and the choices of `anyBase64`.
/// Digits are computed, not looked up, so that cache timing does not reveal a key.
package struct BaseEncoding: Sendable {
  /// Section 8. Written in lower case, read in either case.
  package static let base16 = BaseEncoding(
    bits: 4, digits: [(0x30...0x39, 0), (0x61...0x66, 10), (0x41...0x46, 10)])
  /// Section 4, with `+` and `/`.
  package static let base64 = BaseEncoding(
    bits: 6,
    digits: [(0x41...0x5a, 0), (0x61...0x7a, 26), (0x30...0x39, 52), (0x2b...0x2b, 62), (0x2f...0x2f, 63)])
  /// Section 5, with `-` and `_`.
  package static let base64URL = BaseEncoding(
    bits: 6,
    digits: [(0x41...0x5a, 0), (0x61...0x7a, 26), (0x30...0x39, 52), (0x2d...0x2d, 62), (0x5f...0x5f, 63)])

  /// Reads both alphabets, with or without padding: senders' libraries differ in both. Python's
  /// `urlsafe_b64encode`, Ruby's `urlsafe_encode64`, and Go's `URLEncoding` pad. PHP has only the alphabet of `base64`.
  package static let anyBase64 = BaseEncoding(
    bits: 6,
    digits: [
      (0x41...0x5a, 0), (0x61...0x7a, 26), (0x30...0x39, 52), (0x2d...0x2d, 62), (0x5f...0x5f, 63),
      (0x2b...0x2b, 62), (0x2f...0x2f, 63),
    ], isPadded: true)

  /// How many bits a digit has.
  private let bits: Int
  /// Ranges of characters, each with the value of its start. If two have the same value, `encode` uses the first.
  private let digits: [(characters: ClosedRange<Int>, value: Int)]
  /// Whether a text may end with as many `=` as fill its last four characters.
  private var isPadded = false

  /// The bytes that a text stands for. Nil if it is not in this encoding.
  package func bytes(of text: Span<UInt8>) -> [UInt8]? {
    guard let count = count(decoding: text) else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe bytes.withUnsafeMutableBytes({ unsafe decode(text, into: $0) }) ? bytes : nil
  }

  package func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 8 + bits - 1) / bits)
    let mask = 1 << bits - 1
    var value = 0
    var pending = 0
    for index in bytes.indices {
      value = value << 8 | Int(bytes[index])
      pending += 8
      while pending >= bits {
        pending -= bits
        text.append(character(of: value >> pending & mask))
      }
      value &= mask
    }
    if pending > 0 { text.append(character(of: value << (bits - pending) & mask)) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The number of bytes that a text stands for. Nil if no text has this length.
  package func count(decoding text: Span<UInt8>) -> Int? {
    let characters = text.count - padding(of: text)
    return characters * bits % 8 < bits ? characters * bits / 8 : nil
  }

  /// The characters to leave out at the end.
  private func padding(of text: Span<UInt8>) -> Int {
    guard isPadded, text.count.isMultiple(of: 4) else { return 0 }
    var count = 0
    while count < min(2, text.count), text[text.count - 1 - count] == UInt8(ascii: "=") { count += 1 }
    return count
  }

  /// Returns whether `text` is valid.
  /// - Parameter buffer: exactly `count(decoding:)` bytes.
  package func decode(_ text: Span<UInt8>, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    // Becomes negative at the first character that is not a digit. Checked once, at the end.
    var verdict = 0
    var value = 0
    var pending = 0
    var written = 0
    for index in 0..<text.count - padding(of: text) {
      let digit = self.value(of: text[index])
      verdict |= digit
      value = (value << bits | digit & (1 << bits - 1)) & 0xffff
      pending += bits
      if pending >= 8 {
        pending -= 8
        unsafe buffer[written] = UInt8(truncatingIfNeeded: value >> pending)
        written += 1
      }
    }
    let leftOver = value & (1 << pending - 1)
    return verdict >= 0 && leftOver == 0
  }

  /// The value of a digit, or -1. The range that contains the character adds the value plus 1.
  private func value(of character: UInt8) -> Int {
    var value = -1
    for (characters, first) in digits {
      let own = first + Int(character) - characters.lowerBound
      value += Self.mask(Int(character), in: characters) & (own + 1)
    }
    return value
  }

  private func character(of value: Int) -> UInt8 {
    var character = 0
    for (characters, first) in digits.reversed() {
      let mask = Self.mask(value, in: first...first + characters.count - 1)
      character = character & ~mask | (characters.lowerBound + value - first) & mask
    }
    return UInt8(truncatingIfNeeded: character)
  }

  /// All ones if `value` is in `range`, otherwise 0. Does not branch. For values below 2^62.
  private static func mask(_ value: Int, in range: ClosedRange<Int>) -> Int {
    ((range.lowerBound - 1 - value) & (value - range.upperBound - 1)) >> (Int.bitWidth - 1)
  }
}
