// The members of `stat` belong to CLinux where that is loaded before Glibc.
internal import CLinux
internal import Glibc
internal import Synchronization

/// Files of the store whose content is verified and durable, so that the same content need not be read or
/// written again: one picture is often sent to many.
///
/// A file that is changed has another stat(2), and is then no longer known.
final class KnownFiles: Sendable {
  /// Files at most, the last ones that were noted; in 60 KB.
  static let maximum = 256

  private struct Identity: Equatable {
    let number: ino_t
    let size: off_t
    let seconds: time_t
    let nanoseconds: Int

    init(_ status: stat) {
      number = status.st_ino
      size = status.st_size
      seconds = status.st_ctim.tv_sec
      nanoseconds = status.st_ctim.tv_nsec
    }
  }

  private let state = Mutex((identities: [String: Identity](), names: [String]()))

  /// Whether a file was noted under `name`.
  func contains(_ name: String) -> Bool { state.withLock { $0.identities[name] != nil } }

  /// Whether `status` is that of the file that was noted under `name`, unchanged.
  func contains(_ name: String, _ status: stat) -> Bool {
    state.withLock { $0.identities[name] == Identity(status) }
  }

  /// Notes that the file `name` was verified and durable before its `status` was read.
  func note(_ name: String, _ status: stat) {
    let identity = Identity(status)
    // Not if a later change could have the same time: the kernel's clock for files advances in steps of some
    // milliseconds.
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
    guard (identity.seconds, identity.nanoseconds) < (now.tv_sec, now.tv_nsec) else { return }
    state.withLock { state in
      if state.identities.updateValue(identity, forKey: name) == nil { state.names.append(name) }
      if state.names.count > Self.maximum { state.identities[state.names.removeFirst()] = nil }
    }
  }
}
