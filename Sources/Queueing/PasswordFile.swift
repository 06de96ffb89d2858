internal import Glibc
internal import Supporting

/// A password in a file, so that it is not in the URL, which lists of processes show. Read at each
/// connection, so that it may change.
package enum PasswordFile {
  /// The first line of the file at `path`, without its line break.
  /// - Throws: `QueueError.refused` for a file that is empty or cannot be read.
  package static func read(_ path: String) throws(QueueError) -> String {
    guard let bytes = readShortFile(path, maximum: 4_096) else {
      throw .refused("the password file \(path) cannot be read: \(String(errno: errno))")
    }
    let text = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !text.isEmpty else { throw .refused("the password file \(path) is empty") }
    return String(decoding: text, as: UTF8.self)
  }
}
