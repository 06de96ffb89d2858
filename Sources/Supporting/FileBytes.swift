internal import Glibc

/// Reads and writes all bytes of files, pipes and sockets. On a failure, `errno` says why.
package enum FileBytes {
  /// Returns whether all of `bytes` were written.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    countWritten(bytes, to: descriptor) == bytes.count
  }

  /// Returns how many of `bytes` were written.
  package static func countWritten(_ bytes: [UInt8], to descriptor: Int32) -> Int {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, !mayRepeat(descriptor, POLLOUT) { break }
      rest = rest.dropFirst(max(0, count))
    }
    return bytes.count - rest.count
  }

  /// Reads to the end, or until more than `maximum` bytes are read. Returns nil on an error.
  package static func read(_ descriptor: Int32, maximum: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= maximum {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count == 0 { break }
      if count < 0, !mayRepeat(descriptor, POLLIN) { return nil }
      bytes += piece[..<max(0, count)]
    }
    return bytes
  }

  package static func read(path: String, maximum: Int) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return read(descriptor, maximum: maximum)
  }

  /// Whether to repeat a failed call: it was interrupted, or the descriptor is ready by now.
  private static func mayRepeat(_ descriptor: Int32, _ event: Int32) -> Bool {
    if errno == EINTR { return true }
    guard errno == EAGAIN else { return false }
    var watched = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return unsafe poll(&watched, 1, -1) >= 0 || errno == EINTR
  }
}

/// Reads the first `maximum` bytes of a file in one call, which gives a consistent picture of the
/// kernel's own files. Returns nil if the file cannot be opened or read; `errno` says why.
package func readShortFile(_ path: String, maximum: Int) -> [UInt8]? {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  return readShortFile(file, maximum: maximum)
}

/// Reads an open file in the same way, from its beginning. It may be called again after the file has changed.
package func readShortFile(_ file: Int32, maximum: Int) -> [UInt8]? {
  var count = 0
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: maximum) { buffer, initialized in
    count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
    // A pipe cannot be read at an offset.
    if count < 0, errno == ESPIPE { count = unsafe read(file, buffer.baseAddress, buffer.count) }
    initialized = max(0, count)
  }
  return count < 0 ? nil : bytes
}
