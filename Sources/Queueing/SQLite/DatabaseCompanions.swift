internal import Glibc
internal import Supporting

/// The files beside a database. They get its owner and mode, because all of its users need them.
package enum DatabaseCompanions {
  /// Creates the missing ones, because SQLite and `LeaseOwner` cannot set the owner in the sandbox
  /// of `work`. Does nothing for a user with read-only access: others could not write these files.
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

  /// Creates a new file, open for reading and writing. Returns -1 and sets `errno` on an error.
  static func make(_ path: String, like database: stat) -> Int32 {
    let mode = database.st_mode & 0o666
    // Follows no link: another user could have made one to any file.
    let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard file >= 0 else { return -1 }
    if geteuid() == 0 { _ = fchown(file, database.st_uid, database.st_gid) }
    // Restores the bits that the umask removed.
    _ = fchmod(file, mode)
    return file
  }
}
