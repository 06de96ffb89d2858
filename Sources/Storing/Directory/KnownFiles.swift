internal import CLinux
internal import Glibc
internal import Synchronization

/// Files that are verified and durable, and need not be read or written again: the same picture is
/// often sent to many. If a file is changed, its stat(2) changes too, and it is no longer known.
final class KnownFiles: Sendable {
  /// How many files are kept. The oldest note is dropped first. They take 60 KB.
  static let maximum = 256

  private struct Identity: Equatable {
    let number: ino_t
    let size, seconds, nanoseconds: Int

    init(_ status: stat) {
      (number, size) = (status.st_ino, status.st_size)
      (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    }
  }

  private let state = Mutex((identities: [String: Identity](), names: [String]()))

  func contains(_ name: String) -> Bool { state.withLock { $0.identities[name] != nil } }

  /// Whether `status` is still that of the file noted under `name`.
  func contains(_ name: String, _ status: stat) -> Bool {
    state.withLock { $0.identities[name] == Identity(status) }
  }

  /// Notes that the file `name` was verified and durable before its `status` was read.
  func note(_ name: String, _ status: stat) {
    let identity = Identity(status)
    // Skips a file that could still change without a new time: the clock for files ticks every few ms.
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
    guard (identity.seconds, identity.nanoseconds) < (now.tv_sec, now.tv_nsec) else { return }
    state.withLock { state in
      if state.identities.updateValue(identity, forKey: name) == nil { state.names.append(name) }
      if state.names.count > Self.maximum { state.identities[state.names.removeFirst()] = nil }
    }
  }
}
