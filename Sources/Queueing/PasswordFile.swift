internal import Glibc
internal import Supporting

/// A password in a file, because process lists show URLs. Read for each connection: it may change.
package enum PasswordFile {
  /// The first line of the file at `path`, without its line break.
  /// - Throws: `QueueError.refused` for a file that is empty, cannot be read, or is open to others.
  package static func read(_ path: String) throws(QueueError) -> String {
    try read(path, secret: "password")
  }

  /// - Parameter secret: the kind of secret in the file, for messages.
  package static func read(_ path: String, secret: String) throws(QueueError) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    if file >= 0, let exposure = FileExposure(of: file) {
      throw .refused("the \(secret) file \(path) is refused: \(exposure.advice(on: path))")
    }
    guard file >= 0, let bytes = FileBytes.read(file, maximum: 4_096) else {
      throw .refused("the \(secret) file \(path) cannot be read: \(String(errno: errno))")
    }
    let text = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !text.isEmpty else { throw .refused("the \(secret) file \(path) is empty") }
    return String(decoding: text, as: UTF8.self)
  }
}
