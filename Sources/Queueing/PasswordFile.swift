internal import Glibc
internal import Supporting

/// A password beside the URL, where no list of processes shows it. Read at each connection, so that it may change.
package enum PasswordFile {
  /// What stands in the first line of the file at `path`, which ends with a line break or not.
  /// - Throws: `QueueError.refused` where there is nothing to read.
  package static func read(_ path: String) throws(QueueError) -> String {
    guard let bytes = readShortFile(path, maximum: 4_096) else {
      throw .refused("the password file \(path) cannot be read: \(String(errno: errno))")
    }
    let text = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !text.isEmpty else { throw .refused("the password file \(path) is empty") }
    return String(decoding: text, as: UTF8.self)
  }
}
