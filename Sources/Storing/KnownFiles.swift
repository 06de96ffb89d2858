// The members of `stat` belong to CLinux where that is loaded before Glibc.
internal import CLinux
internal import Glibc
internal import Synchronization

/// Files of the store whose content is verified and durable, so that content that comes again need be neither read nor written: the same
/// picture often goes to many.
///
/// Whoever changes a file changes what stat(2) says of it, and then it is not known any more.
final class KnownFiles: Sendable {
  /// How many are remembered: those that came last, in 60 KB.
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

    /// Whether any later change will have another time. The kernel's clock for files stands still for some milliseconds at a time.
    var isSettled: Bool {
      var now = timespec()
      unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now)
      return (seconds, nanoseconds) < (now.tv_sec, now.tv_nsec)
    }
  }

  private let state = Mutex((identities: [String: Identity](), names: [String]()))

  /// Whether a file was noted as `name`.
  func contains(_ name: String) -> Bool { state.withLock { $0.identities[name] != nil } }

  /// Whether what `status` describes is the file that was noted as `name`, unchanged.
  func contains(_ name: String, _ status: stat) -> Bool {
    state.withLock { $0.identities[name] == Identity(status) }
  }

  /// The file `name` has been verified and made durable before `status` was asked for.
  func note(_ name: String, _ status: stat) {
    let identity = Identity(status)
    guard identity.isSettled else { return }
    state.withLock { state in
      if state.identities.updateValue(identity, forKey: name) == nil { state.names.append(name) }
      if state.names.count > Self.maximum { state.identities[state.names.removeFirst()] = nil }
    }
  }
}
