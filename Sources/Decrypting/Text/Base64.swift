/// Base64 (RFC 4648) in its canonical form and nothing else: no padding, no line breaks, no bits left over.
/// Two texts never stand for the same bytes, and neither alphabet passes for the other.
///
/// Keys are read with it: the digits are computed, not looked up, so that no cache line tells them.
package enum Base64: Sendable {
  /// Section 4, with `+` and `/`.
  case standard
  /// Section 5, with `-` and `_`.
  case url

  /// - Throws: `DecryptingError.failed` for what is not canonical.
  package func decode(_ text: String) throws(DecryptingError) -> [UInt8] {
    let text = text.utf8.span
    guard let count = count(decoding: text.count) else { throw .failed }
    var bytes = [UInt8](repeating: 0, count: count)
    let isCanonical = unsafe bytes.withUnsafeMutableBytes { unsafe decode(text, into: $0) }
    guard isCanonical else { throw .failed }
    return bytes
  }

  package func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits = 0
    var pending = 0
    for index in bytes.indices {
      bits = bits << 8 | Int(bytes[index])
      pending += 8
      while pending >= 6 {
        pending -= 6
        text.append(character(of: bits >> pending & 63))
      }
      bits &= 63
    }
    if pending > 0 { text.append(character(of: bits << (6 - pending) & 63)) }
    return String(decoding: text, as: UTF8.self)
  }

  /// How many bytes so many characters stand for; nil if no text has this length.
  func count(decoding characters: Int) -> Int? {
    characters % 4 == 1 ? nil : characters / 4 * 3 + characters % 4 * 3 / 4
  }

  /// - Parameter buffer: exactly `count(decoding:)` bytes.
  /// - Returns: whether it was canonical; the buffer holds nothing of use if not.
  func decode(_ text: Span<UInt8>, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    // Negative as soon as one character was none: that is looked at once, at the end.
    var verdict = 0
    var bits = 0
    var pending = 0
    var written = 0
    for index in text.indices {
      let value = value(of: text[index])
      verdict |= value
      bits = (bits << 6 | value & 63) & 0xffff
      pending += 6
      if pending >= 8 {
        pending -= 8
        unsafe buffer[written] = UInt8(truncatingIfNeeded: bits >> pending)
        written += 1
      }
    }
    let leftOver = bits & ((1 << pending) - 1)
    return verdict >= 0 && leftOver == 0
  }

  /// From 0 to 63, or -1. Each line adds what makes up for the -1 when the character is of its range.
  private func value(of character: UInt8) -> Int {
    let character = Int(character)
    var value = -1
    value += Self.mask(character, in: 0x41...0x5a) & (character - 64)
    value += Self.mask(character, in: 0x61...0x7a) & (character - 70)
    value += Self.mask(character, in: 0x30...0x39) & (character + 5)
    value += Self.mask(character, in: last.0...last.0) & 63
    value += Self.mask(character, in: last.1...last.1) & 64
    return value
  }

  private func character(of value: Int) -> UInt8 {
    var character = value + 65
    character += Self.mask(value, in: 26...51) & 6
    character += Self.mask(value, in: 52...61) & -69
    character += Self.mask(value, in: 62...62) & (last.0 - 127)
    character += Self.mask(value, in: 63...63) & (last.1 - 128)
    return UInt8(truncatingIfNeeded: character)
  }

  /// The characters of 62 and 63.
  private var last: (Int, Int) {
    switch self {
    case .standard: (0x2b, 0x2f)
    case .url: (0x2d, 0x5f)
    }
  }

  /// All ones if `value` is in `range`, else 0, without a branch. For values of less than 2^62.
  static func mask(_ value: Int, in range: ClosedRange<Int>) -> Int {
    ((range.lowerBound - 1 - value) & (value - range.upperBound - 1)) >> (Int.bitWidth - 1)
  }
}
