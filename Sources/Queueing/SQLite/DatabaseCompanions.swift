internal import Glibc
internal import Supporting

/// The files beside a database. They get its owner and its mode, because all its users have to use them.
package enum DatabaseCompanions {
  /// Makes those that are missing: in the sandbox of `work`, SQLite and `LeaseOwner` cannot set their owner.
  /// Does nothing for a user who may only read the database, because others could not write these files.
  package static func make(for database: String) {
    var status = stat()
    guard let path = realPath(of: database), unsafe stat(path, &status) == 0,
      status.st_mode.isRegularFile, unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
    else { return }
    for suffix in ["-wal", "-shm", "-lock"] {
      let file = make(path + suffix, like: status)
      if file >= 0 { close(file) }
    }
  }

  /// Makes a file that must not exist. Returns it, open for reading and writing; -1 and `errno` on an error.
  static func make(_ path: String, like database: stat) -> Int32 {
    let mode = database.st_mode & 0o666
    // No link: a stranger's could lead to any file.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard file >= 0 else { return -1 }
    if geteuid() == 0 { _ = fchown(file, database.st_uid, database.st_gid) }
    // For what the umask has taken away.
    _ = fchmod(file, mode)
    return file
  }
}
