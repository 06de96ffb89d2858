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
