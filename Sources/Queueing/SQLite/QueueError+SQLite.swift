internal import CSQLite
internal import Glibc
internal import Supporting

extension QueueError {
  /// From SQLite's result code.
  /// - Parameters:
  ///   - code: a result code, extended or not (sqlite.org/rescode.html).
  ///   - kernel: the `errno` behind it, or 0.
  init(sqlite code: Int32, kernel: Int32, path: String) {
    // SQLite knows ENOSPC only, and reports the others as a failed disk.
    let isFull = [ENOSPC, EDQUOT, EFBIG].contains(kernel)
    self =
      switch code & 0xFF {
      case _ where isFull, SQLITE_FULL:
        .unavailable("no space is left for the queue \(path): free some, and it goes on by itself")
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
        .unavailable(
          "another process has been writing to the queue \(path) for 5 s: see who that is with 'fuser \(path)'"
        )
      case SQLITE_NOMEM:
        .unavailable("there is no memory for the queue \(path)")
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
        .refused(
          "the queue \(path) cannot be written: give this user the right to, for the file and its folder")
      case SQLITE_NOTADB:
        .refused("\(path) is no SQLite database: name another file, or one that does not exist yet")
      case SQLITE_CORRUPT:
        .refused("the queue \(path) is damaged: save what is left of it with 'sqlite3 \(path) .recover'")
      case SQLITE_CANTOPEN:
        Self.cannotOpen(path)
      case SQLITE_IOERR:
        .unavailable("the disk failed at the queue \(path): \(Self.text(code))\(Self.detail(kernel))")
      default:
        .refused("SQLite refuses the queue \(path): \(Self.text(code))\(Self.detail(kernel))")
      }
  }

  /// SQLite has one code for all reasons why a file cannot be opened: the kernel is asked again.
  private static func cannotOpen(_ path: String) -> QueueError {
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR {
        return .refused("\(path) is a folder: name a file in it, like \(path)/push-enricher.db")
      }
      return .refused(
        "the queue \(path) cannot be opened: give this user the right to, for the file and its folder")
    }
    let folder = path.parentDirectory
    switch errno {
    case ENOENT where unsafe access(folder, F_OK) != 0:
      return .refused("the folder \(folder) of the queue does not exist: create it, or name another")
    case ENOTDIR:
      return .refused("the queue \(path) cannot be: \(folder) is not a folder")
    default:
      return .refused(
        "the queue \(path) cannot be created: give this user the right to, in the folder \(folder)")
    }
  }

  private static func text(_ code: Int32) -> String {
    unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "code \(code)"
  }

  private static func detail(_ kernel: Int32) -> String {
    kernel == 0 ? "" : " (\(String(errno: kernel)))"
  }
}
