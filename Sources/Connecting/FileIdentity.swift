internal import Glibc

/// Identifies a file, whatever its path.
struct FileIdentity: Hashable {
  private let device: dev_t
  private let number: ino_t

  /// Nil for a missing file. Does not open it, because closing it would drop SQLite's locks on it
  /// (sqlite.org/howtocorrupt.html).
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }

  /// Whether both paths lead to one file, also if it is still to be created.
  static func isSame(_ path: String, as other: String) -> Bool {
    let (file, otherFile) = (FileIdentity(of: path), FileIdentity(of: other))
    if file != nil || otherFile != nil { return file == otherFile }
    let (folder, name) = parts(of: path)
    let (otherFolder, otherName) = parts(of: other)
    guard let identity = FileIdentity(of: folder) else { return path == other }
    return identity == FileIdentity(of: otherFolder) && name == otherName
  }

  private static func parts(of path: String) -> (folder: String, name: Substring) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path[...]) }
    return (String(path[...slash]), path[slash...].dropFirst())
  }
}
