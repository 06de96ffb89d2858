internal import Decrypting
internal import Glibc
internal import Supporting

/// A file that the operator writes, and may replace while it is in use.
enum SettingsFile {
  enum Trouble: Error {
    case unreadable(String)
    case tooLarge
    /// The path is a link to another directory, which the sandbox does not let this process read.
    case leadsAway
  }

  /// Reads a whole file and wipes the bytes afterwards, because they may include keys.
  /// - Parameters:
  ///   - maximum: the longest file that is read, in bytes.
  ///   - known: returns the error to throw for a problem.
  ///   - check: throws if the file must not be read.
  static func read<Content, ReadingError: Error>(
    _ path: String, atMost maximum: Int, as known: (Trouble) -> ReadingError,
    check: (stat) throws(ReadingError) -> Void = { _ throws(ReadingError) in },
    _ body: ([UInt8]) throws(ReadingError) -> Content
  ) throws(ReadingError) -> (content: Content, stamp: FileStamp) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      throw known(code == EACCES && leadsAway(path) ? .leadsAway : .unreadable(detail(code, of: path)))
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode.isRegularFile else {
      throw known(.unreadable("this is not a file"))
    }
    try check(status)
    guard status.st_size <= maximum else { throw known(.tooLarge) }
    // Allocated once, because an array that grows would leave copies behind.
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    defer { bytes.wipe() }
    var length = 0
    while length < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress?.advanced(by: length), $0.count - length)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw known(.unreadable(String(errno: errno))) }
      guard count > 0 else { break }
      length += count
    }
    return (try body(bytes), FileStamp(status))
  }

  /// Why a file or a directory cannot be read. The sandbox allows those that were there at the start, and not
  /// others that take their places.
  /// - Parameter code: the error of the kernel.
  static func detail(_ code: Int32, of path: String) -> String {
    guard code == EACCES, unsafe faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 else {
      return String(errno: code)
    }
    return
      "\(String(errno: code)), although its mode allows it: if it or its directory was replaced, restart push-enricher"
  }

  private static func leadsAway(_ path: String) -> Bool {
    guard let file = realPath(of: path), let folder = realPath(of: path.parentDirectory) else { return false }
    return !file.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }
}
