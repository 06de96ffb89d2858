internal import Glibc
internal import Supporting

/// The files beside a database. Whoever may use the database has to be able to use them, so they get its owner
/// and its mode.
package enum DatabaseCompanions {
  /// Makes those that are missing. SQLite and `LeaseOwner` make them too, but in the sandbox of `work` they can
  /// change neither owner nor mode. SQLite's files vanish with the last connection.
  ///
  /// Does nothing for a user who may only read the database: the others could not write these files.
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

  /// Makes one that must not exist.
  /// - Returns: it, open for reading and writing; -1 if that fails, with `errno`.
  static func make(_ path: String, like database: stat) -> Int32 {
    let mode = database.st_mode & 0o666
    // No link: a stranger's could lead to any file. Where the mode cannot be changed, it is this one without
    // what the umask takes away.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard file >= 0 else { return -1 }
    if geteuid() == 0 { _ = fchown(file, database.st_uid, database.st_gid) }
    _ = fchmod(file, mode)
    return file
  }
}
