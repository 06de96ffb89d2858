internal import Glibc

/// The beginning of a short file, by a single read(2): of the kernel's own files that is a consistent
/// picture.
/// - Parameter maximum: bytes; what is behind them is left out.
/// - Returns: nil when it cannot be opened or read; `errno` says why.
package func readShortFile(_ path: String, maximum: Int) -> [UInt8]? {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var hasFailed = false
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
    let result = unsafe read(file, buffer.baseAddress, buffer.count)
    hasFailed = result < 0
    count = max(0, result)
  }
  return hasFailed ? nil : bytes
}
