internal import Glibc

extension String {
  /// The text of `strerror(3)` for an error number.
  package init(errno code: Int32) { unsafe self.init(cString: strerror(code)) }

  /// Two lower-case digits for each byte.
  package init(hexadecimal bytes: Span<UInt8>) {
    unsafe self.init(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for index in bytes.indices {
        unsafe text[index * 2] = (bytes[index] >> 4).hexadecimalDigit
        unsafe text[index * 2 + 1] = (bytes[index] & 15).hexadecimalDigit
      }
      return bytes.count * 2
    }
  }

  /// The text with spaces after it, as a column of a table.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }

  /// The text without spaces and tabs around it (RFC 9110 section 5.5).
  package var trimmingSpaces: String {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard utf8.first.map(isSpace) == true || utf8.last.map(isSpace) == true else { return self }
    let start = utf8.drop(while: isSpace).startIndex
    return String(self[start..<utf8[start...].reversed().drop(while: isSpace).startIndex.base])
  }
}
