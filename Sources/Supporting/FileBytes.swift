internal import Glibc

/// The bytes of files, pipes and sockets, to their end.
package enum FileBytes {
  /// - Returns: whether all of `bytes` were written.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    countWritten(bytes, to: descriptor) == bytes.count
  }

  /// - Returns: how many of `bytes` were written. Why it is not all of them is in `errno`.
  package static func countWritten(_ bytes: [UInt8], to descriptor: Int32) -> Int {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR || waitsFor(descriptor, POLLOUT) { continue }
        break
      }
      rest = rest.dropFirst(count)
    }
    return bytes.count - rest.count
  }

  /// Waits until a non-blocking descriptor, as programs with an event loop pass on, is ready.
  /// - Returns: false when `errno` says something else than to wait.
  private static func waitsFor(_ descriptor: Int32, _ event: Int32) -> Bool {
    guard errno == EAGAIN || errno == EWOULDBLOCK else { return false }
    var watched = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return unsafe poll(&watched, 1, -1) >= 0 || errno == EINTR
  }

  /// Reads to the end, or until more than `maximum` bytes have come.
  /// - Returns: nil on an error, which is in `errno` then.
  package static func read(_ descriptor: Int32, maximum: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= maximum {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR || waitsFor(descriptor, POLLIN) { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  /// The same for a file that is closed again.
  package static func read(path: String, maximum: Int) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return read(descriptor, maximum: maximum)
  }
}

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
