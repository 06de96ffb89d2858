internal import Glibc
internal import Supporting

/// Identifies a file, whatever its path.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// Nil if missing. Opening and closing it would drop locks (sqlite.org/howtocorrupt.html).
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    device = status.st_dev
    number = status.st_ino
  }

  /// Whether both paths lead to the same file, even if it does not exist yet.
  static func isSame(_ path: String, as other: String) -> Bool {
    let (file, otherFile) = (FileIdentity(of: path), FileIdentity(of: other))
    if file != nil || otherFile != nil { return file == otherFile }
    guard let folder = FileIdentity(of: path.parentDirectory) else { return path == other }
    return folder == FileIdentity(of: other.parentDirectory)
      && path.split(separator: "/").last == other.split(separator: "/").last
  }
}
