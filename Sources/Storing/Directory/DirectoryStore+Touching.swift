internal import CLinux
internal import Glibc
internal import Supporting

extension DirectoryStore {
  /// How old the recorded last use may get, in seconds. This makes constant use cost nothing.
  static let useRecordInterval = 15

  package func touch(_ name: String, size: Int) async -> Presence {
    await touching.run { [self] in
      if touchNow(name, size: size) { return .present }
      if spools.absence != nil { return .unknown }
      guard let status = status(named: name) else { return errno == ENOENT ? .absent : .unknown }
      return status.st_size == size ? .unknown : .absent
    }
  }

  /// Records that the file is used now, so that `prune` spares it. Blocks on the disk.
  /// - Returns: false if it is missing, has another size, or may be pruned anyway.
  func touchNow(_ name: String, size: Int) -> Bool {
    let file = open(named: name)
    guard file >= 0 else { return false }
    defer { close(file) }
    guard let status = fileStatus(of: file), status.st_mode.isRegularFile, status.st_size == size,
      spools.absence == nil
    else { return false }
    return recordUse(of: file, as: name)
  }

  /// Sets the access time, because servers and backups go by the modification time. The file stays
  /// locked until it is closed, so `prune` either sees the new time or has removed the file before.
  /// - Returns: false if it may be pruned anyway: it lost its name, is locked, or belongs to another user.
  func recordUse(of file: Int32, as name: String) -> Bool {
    // A `prune` that was killed may have renamed it.
    guard lock(file), let status = fileStatus(of: file), isStill(name, status) else { return false }
    return isUsed(status, within: Self.useRecordInterval) || note_access(file) == 0
  }

  /// Keeps `prune` away from a file until its descriptor is closed.
  /// - Returns: false if another process keeps it locked. Any process that may read it can do that.
  func lock(_ file: Int32) -> Bool {
    // `prune` holds its lock only for a moment.
    for _ in 0..<20 {
      if flock(file, LOCK_SH | LOCK_NB) == 0 { return true }
      switch errno {
      case EWOULDBLOCK: usleep(1_000)
      case EINTR: continue
      // If the file system has no locks, `prune` removes nothing.
      default: return true
      }
    }
    return false
  }

  /// Whether a result or a reader used the file in the last `seconds`.
  func isUsed(_ status: stat, within seconds: Int) -> Bool {
    max(status.st_atim.tv_sec, status.st_mtim.tv_sec) > time(nil) - seconds
  }

  /// Whether the locked file still has `name`. It may have been replaced or renamed.
  func isStill(_ name: String, _ locked: stat) -> Bool { status(named: name)?.st_ino == locked.st_ino }
}
