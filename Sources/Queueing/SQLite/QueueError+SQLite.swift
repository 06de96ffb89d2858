internal import CSQLite
internal import Glibc
internal import Supporting

extension QueueError {
  /// Explains a result code (sqlite.org/rescode.html), extended or not, and the `errno` behind it.
  @unsafe init(sqlite code: Int32, _ connection: OpaquePointer?, path: String) {
    // SQLite sets it only with these two codes, and keeps it until the next of them.
    let isOfKernel = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
    let kernel = unsafe isOfKernel ? sqlite3_system_errno(connection) : 0
    let text = unsafe sqlite3_errstr(code).map { unsafe String(cString: $0) } ?? "code \(code)"
    let detail = kernel == 0 ? text : "\(text) (\(String(errno: kernel)))"
    self =
      switch code & 0xFF {
      // SQLite knows only ENOSPC, and reports the others as a disk failure.
      case _ where [ENOSPC, EDQUOT, EFBIG].contains(kernel), SQLITE_FULL:
        .unavailable(
          "no space is left for the queue \(path): free some space (workers then resume by themselves)")
      case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
        .unavailable(
          "another process has been writing to the queue \(path) for 5 s: find it with 'fuser \(path)'"
        )
      case SQLITE_NOMEM: .unavailable("there is no memory for the queue \(path)")
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
        .refused(
          "the queue \(path) cannot be written: let this user read and write the file and its folder")
      case SQLITE_NOTADB:
        .refused("\(path) is not an SQLite database: name another file, or one that does not exist yet")
      case SQLITE_CORRUPT:
        .refused("the queue \(path) is damaged: save what is left of it with 'sqlite3 \(path) .recover'")
      case SQLITE_CANTOPEN: .refused(Self.whyNotOpened(path))
      case SQLITE_IOERR: .unavailable("the disk failed at the queue \(path): \(detail)")
      default: .refused("SQLite refuses the queue \(path): \(detail)")
      }
  }

  /// SQLite has one code for every reason why a file cannot be opened, so ask the kernel again.
  private static func whyNotOpened(_ path: String) -> String {
    let folder = path.parentDirectory
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      return status.st_mode & S_IFMT == S_IFDIR
        ? "\(path) is a folder: name a file in it, like \(path)/push-enricher.db"
        : "the queue \(path) cannot be opened: let this user read and write the file and its folder"
    }
    switch errno {
    case ENOENT where unsafe access(folder, F_OK) != 0:
      return "the folder \(folder) of the queue does not exist: create it, or name another"
    case ENOTDIR: return "the queue \(path) cannot exist: \(folder) is not a folder"
    default:
      return "the queue \(path) cannot be created: give this user write access to the folder \(folder)"
    }
  }
}
