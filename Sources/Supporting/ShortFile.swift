internal import Glibc

/// The beginning of a short file, by a single read(2): of the kernel's own files that is a consistent
/// picture.
/// - Parameter maximum: bytes; what is behind them is left out.
/// - Returns: nil when it cannot be opened or read; `errno` says why.
package func readShortFile(_ path: String, maximum: Int) -> [UInt8]? {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  // It may be a pipe, which has no place to read from.
  return unsafe readOnce(maximum) { unsafe read(file, $0.baseAddress, $0.count) }
}

/// The same of one that stays open, and may say something else each time.
package func readShortFile(_ file: Int32, maximum: Int) -> [UInt8]? {
  unsafe readOnce(maximum) { unsafe pread(file, $0.baseAddress, $0.count, 0) }
}

private func readOnce(_ maximum: Int, _ read: (UnsafeMutableBufferPointer<UInt8>) -> Int) -> [UInt8]? {
  var hasFailed = false
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
    let result = unsafe read(buffer)
    hasFailed = result < 0
    count = max(0, result)
  }
  return hasFailed ? nil : bytes
}
