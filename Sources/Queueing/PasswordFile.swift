internal import Glibc
internal import Supporting

/// A password in a file, so that it is not in the URL, which lists of processes show. Read at each
/// connection, so that it may change.
package enum PasswordFile {
  /// The first line of the file at `path`, without its line break.
  /// - Throws: `QueueError.refused` for a file that is empty, cannot be read, or is open to others.
  package static func read(_ path: String) throws(QueueError) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw unreadable(path) }
    defer { close(file) }
    if let exposure = FileExposure(of: file) {
      throw .refused("the password file \(path) is not read: \(exposure.advice(on: path))")
    }
    guard let bytes = FileBytes.read(file, maximum: 4_096) else { throw unreadable(path) }
    let text = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !text.isEmpty else { throw .refused("the password file \(path) is empty") }
    return String(decoding: text, as: UTF8.self)
  }

  private static func unreadable(_ path: String) -> QueueError {
    .refused("the password file \(path) cannot be read: \(String(errno: errno))")
  }
}
