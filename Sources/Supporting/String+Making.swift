internal import Glibc

extension String {
  /// What `strerror(3)` says about an error number.
  package init(errno code: Int32) { unsafe self.init(cString: strerror(code)) }

  /// Two lower-case digits for each byte.
  package init(hexadecimal bytes: Span<UInt8>) {
    let digits = Array("0123456789abcdef".utf8)
    unsafe self.init(unsafeUninitializedCapacity: bytes.count * 2) { text in
      for index in bytes.indices {
        unsafe text[index * 2] = digits[Int(bytes[index] >> 4)]
        unsafe text[index * 2 + 1] = digits[Int(bytes[index] & 15)]
      }
      return bytes.count * 2
    }
  }

  /// With spaces behind it, so that it is a column of a table.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}
