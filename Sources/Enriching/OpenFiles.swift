internal import Glibc

/// How many files and sockets the process may have open (`RLIMIT_NOFILE`, getrlimit(2)).
struct OpenFiles: Equatable {
  /// Beside the transfers: queues, the log, name servers, status pages.
  private static let process = 50
  /// Of one transfer: a socket, a file, and the one before it until the disk has that. 2.6 were measured.
  private static let transfer = 3

  let limit: Int

  /// Transfers at once that they are enough for.
  var slots: Int { max(0, limit - Self.process) / Self.transfer }
}

extension OpenFiles {
  /// The limit of the process, raised as far as it may be and `slots` transfers need.
  init(raisedFor slots: Int) {
    var limits = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    let needed = rlim_t(Self.process + Self.transfer * slots)
    var raised = limits
    raised.rlim_cur = max(limits.rlim_cur, min(needed, limits.rlim_max))
    if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limits = raised }
    self.init(limit: Int(clamping: limits.rlim_cur))
  }
}
