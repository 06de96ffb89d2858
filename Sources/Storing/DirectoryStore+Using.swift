internal import CLinux
internal import Glibc

extension DirectoryStore {
  /// How old the note of the last use may be before another is made, in seconds: so that what is used all the time costs nothing.
  static let useNoteSeconds = 15

  /// Whether the file under this name is there, in its size, for another result to name it. It counts as used from now on, and is not
  /// collected for as long as `collect` spares what is in use. Blocks on the disk.
  package func use(_ name: String, size: Int) -> Bool {
    // Whatever it is, opening it does not wait (a FIFO would) and leads nowhere else (a link would).
    let file = unsafe openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    guard let status = status(of: file), status.st_mode & S_IFMT == S_IFREG, status.st_size == size else {
      return false
    }
    return noteUse(of: file)
  }

  /// Notes that a file is used now, as the time of its last access: servers and backups go by that of its change. Locks the file until its
  /// descriptor is closed: `collect` either sees the note, or has taken the file away before.
  /// - Returns: false when it has no name any more.
  func noteUse(of file: Int32) -> Bool {
    // Somebody who collects has it for a moment only. Where there are no locks, nobody who collects does without.
    while flock(file, LOCK_SH) != 0, errno == EINTR {}
    guard let status = status(of: file), status.st_nlink > 0 else { return false }
    if !isUsed(status, within: Self.useNoteSeconds) {
      // That of another user's file cannot be noted: README says who has to collect.
      _ = note_access(file)
    }
    return true
  }

  /// Whether the last use that is noted is that recent: that of a name, or of whoever has read it.
  func isUsed(_ status: stat, within seconds: Int) -> Bool {
    let now = time(nil)
    return max(status.st_atim.tv_sec, status.st_mtim.tv_sec) > now - seconds
  }
}
