extension String {
  /// Two lower-case digits for each byte. They are computed, not looked up, so that no cache line tells which
  /// bytes a secret has.
  package init(hexadecimal bytes: Span<UInt8>) {
    unsafe self.init(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for index in bytes.indices {
        unsafe text[index * 2] = Self.digit(bytes[index] >> 4)
        unsafe text[index * 2 + 1] = Self.digit(bytes[index] & 15)
      }
      return bytes.count * 2
    }
  }

  /// - Parameter value: from 0 to 15.
  private static func digit(_ value: UInt8) -> UInt8 {
    // All ones for 10 and more, which wrap around below zero; `a` stands 39 behind what follows `9`.
    let isLetter = UInt8(bitPattern: Int8(bitPattern: 9 &- value) >> 7)
    return value + UInt8(ascii: "0") + (isLetter & 39)
  }
}
