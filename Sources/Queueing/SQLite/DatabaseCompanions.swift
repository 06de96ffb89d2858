internal import Glibc
internal import Supporting

/// The files that are made beside a database, for a process that is root and may give no files away.
package enum DatabaseCompanions {
  /// Makes what is missing of them, as the property of whoever owns the database.
  ///
  /// SQLite and `LeaseOwner` do so themselves, but not in the sandbox; the owner could not use the database as long as they were
  /// root's. SQLite's vanish with the last connection.
  package static func make(for database: String) {
    var status = stat()
    guard geteuid() == 0, let path = realPath(of: database), unsafe stat(path, &status) == 0,
      status.st_mode.isRegularFile, status.st_uid != 0
    else { return }
    for suffix in ["-wal", "-shm", "-lock"] {
      let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let file = unsafe open(path + suffix, flags, status.st_mode & 0o666)
      guard file >= 0 else { continue }
      _ = fchown(file, status.st_uid, status.st_gid)
      _ = fchmod(file, status.st_mode & 0o666)
      close(file)
    }
  }
}
