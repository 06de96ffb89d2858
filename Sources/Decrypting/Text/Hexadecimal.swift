/// Hexadecimal digits, as the fragment of an `aesgcm://` URL has them. Computed, not looked up: keys are read
/// with it.
enum Hexadecimal {
  /// How many bytes so many digits stand for; nil for an odd number.
  static func count(decoding digits: Int) -> Int? { digits % 2 == 0 ? digits / 2 : nil }

  /// - Throws: `DecryptingError.failed` for anything but an even number of digits.
  static func decode(_ text: Span<UInt8>) throws(DecryptingError) -> [UInt8] {
    guard let count = count(decoding: text.count) else { throw .failed }
    var bytes = [UInt8](repeating: 0, count: count)
    let isHexadecimal = unsafe bytes.withUnsafeMutableBytes { unsafe decode(text, into: $0) }
    guard isHexadecimal else { throw .failed }
    return bytes
  }

  /// - Parameter buffer: exactly `count(decoding:)` bytes.
  /// - Returns: whether all were digits; the buffer holds nothing of use if not.
  static func decode(_ text: Span<UInt8>, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var verdict = 0
    for index in buffer.indices {
      let high = value(of: text[index * 2])
      let low = value(of: text[index * 2 + 1])
      verdict |= high | low
      unsafe buffer[index] = UInt8(truncatingIfNeeded: high << 4 | low & 15)
    }
    return verdict >= 0
  }

  /// From 0 to 15, or -1.
  private static func value(of digit: UInt8) -> Int {
    let digit = Int(digit)
    var value = -1
    value += Base64.mask(digit, in: 0x30...0x39) & (digit - 47)
    value += Base64.mask(digit, in: 0x61...0x66) & (digit - 86)
    value += Base64.mask(digit, in: 0x41...0x46) & (digit - 54)
    return value
  }
}
