internal import CLinux
internal import Glibc
internal import Supporting

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
    guard let status = status(of: file), status.isRegularFile, status.st_size == size,
      absence == nil
    else { return false }
    return noteUse(of: file)
  }

  /// Notes that a file is used now, as the time of its last access: servers and backups go by that of its change. Locks the file until its
  /// descriptor is closed: `collect` either sees the note, or has taken the file away before.
  /// - Returns: false when it may be collected all the same: it has no name any more, or is another user's, or somebody keeps it locked.
  private func noteUse(of file: Int32) -> Bool {
    guard lock(file), let status = status(of: file), status.st_nlink > 0 else { return false }
    return isUsed(status, within: Self.useNoteSeconds) || note_access(file) == 0
  }

  /// Keeps `collect` away from a file until its descriptor is closed.
  /// - Returns: false when somebody keeps it locked. Whoever may read a file can do that, and is not waited for.
  func lock(_ file: Int32) -> Bool {
    // Somebody who collects has it for a moment only.
    for _ in 0..<20 {
      if flock(file, LOCK_SH | LOCK_NB) == 0 { return true }
      switch errno {
      case EWOULDBLOCK: usleep(1_000)
      case EINTR: continue
      // Where there are no locks, nobody who collects does without.
      default: return true
      }
    }
    return false
  }

  /// Whether the last use that is noted is that recent: that of a name, or of whoever has read it.
  func isUsed(_ status: stat, within seconds: Int) -> Bool {
    let now = time(nil)
    return max(status.st_atim.tv_sec, status.st_mtim.tv_sec) > now - seconds
  }
}
