/// Most of a payload of 4 KB is text. It is skipped in pieces, not byte by byte.
extension JSONScanner {
  /// Skips bytes that are no quotes, backslashes or control characters. May stop before the first one that is.
  /// - Parameter seen: collects the bits of the skipped bytes.
  mutating func skipPlainBytes(_ seen: inout UInt8) {
    var (place, union) = (offset, UInt8(0))
    unsafe bytes.withUnsafeBytes { bytes in
      // Most strings are short.
      guard unsafe Self.skipWords(in: bytes, &place) else { return }
      while unsafe Self.skipBlock(of: 128, in: bytes, &place, &union, isASCII: true) {}
      while unsafe Self.skipBlock(of: 32, in: bytes, &place, &union, isASCII: false) {}
      _ = unsafe Self.skipWords(in: bytes, &place)
    }
    offset = place
    seen |= union
  }

  /// Skips at most four times eight ASCII characters.
  /// - Returns: whether there may be more to skip.
  private static func skipWords(in bytes: UnsafeRawBufferPointer, _ place: inout Int) -> Bool {
    for _ in 0..<4 {
      guard bytes.count - place >= 8 else { return false }
      let word = UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      let count = plainBytes(in: word)
      place += count
      if count < 8 { return word >> (count * 8) & 0x80 != 0 }
    }
    return true
  }

  /// How many of the lowest bytes are plain ASCII: 0 to 8.
  private static func plainBytes(in word: UInt64) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    // Subtracting sets the highest bit of a byte that was too small, and only borrows from bytes above it.
    let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    let others =
      (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) | word
    return (others & (ones &* 0x80)).trailingZeroBitCount / 8
  }

  /// - Parameter isASCII: whether to skip only ASCII, which takes half the time.
  /// - Returns: whether the block is skipped.
  @inline(__always)
  private static func skipBlock(
    of length: Int, in bytes: UnsafeRawBufferPointer, _ place: inout Int, _ seen: inout UInt8, isASCII: Bool
  ) -> Bool {
    guard bytes.count - place >= length else { return false }
    var (others, all): (UInt8, UInt8) = (0, 0)
    // No branch for a byte, so that the compiler handles sixteen at once.
    for index in place..<place &+ length {
      let byte = unsafe bytes[index]
      // As a signed number, a byte beyond ASCII is less than 0x20 as well.
      let isControl = isASCII ? Int8(bitPattern: byte) < 0x20 : byte < 0x20
      others |=
        (isControl ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
      all |= isASCII ? 0 : byte
    }
    guard others == 0 else { return false }
    seen |= all
    place += length
    return true
  }
}
