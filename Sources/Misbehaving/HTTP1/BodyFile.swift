internal import Glibc

/// A file for as long as it is read.
struct BodyFile: ~Copyable {
  private let path: String
  private let descriptor: Int32

  /// - Throws: `MisbehavingError.unreadable`.
  init(_ path: String) throws(MisbehavingError) {
    self.path = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
  }

  deinit { close(descriptor) }

  /// Bytes in it.
  /// - Throws: `MisbehavingError.unreadable`.
  func length() throws(MisbehavingError) -> Int {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(path: path, code: errno) }
    return Int(status.st_size)
  }

  /// The next bytes, up to `count`; empty at the end.
  /// - Throws: `MisbehavingError.unreadable`.
  func read(atMost count: Int) throws(MisbehavingError) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: count)
    let received = unsafe piece.withUnsafeMutableBytes {
      unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
    }
    guard received >= 0 else { throw .unreadable(path: path, code: errno) }
    return Array(piece.prefix(received))
  }
}
