internal import Glibc

/// A password in a file, so that it is not in the URL, which lists of processes show. Read at each
/// connection, so that it may change.
package enum PasswordFile {
  /// The first line of the file at `path`, without its line break.
  /// - Throws: `QueueError.refused` for a file that is empty or cannot be read.
  package static func read(_ path: String) throws(QueueError) -> String {
    let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw unreadable(path) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe Glibc.read(file, &bytes, bytes.count)
    guard count >= 0 else { throw unreadable(path) }
    let text = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !text.isEmpty else { throw .refused("the password file \(path) is empty") }
    return String(decoding: text, as: UTF8.self)
  }

  /// With the reason from `errno`.
  private static func unreadable(_ path: String) -> QueueError {
    .refused("the password file \(path) cannot be read: \(unsafe String(cString: strerror(errno)))")
  }
}
