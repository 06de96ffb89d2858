internal import Glibc

/// How many files and sockets the process may have open (`RLIMIT_NOFILE`, getrlimit(2)).
struct OpenFiles: Equatable {
  /// What queues, the log, name servers and status pages need.
  private static let process = 50
  /// A transfer has a socket, a file, and the previous file until that is on disk. Measured: 2.6.
  private static let transfer = 3

  let limit: Int
  /// Connections that clients of the process may have open.
  var others = 0

  /// How many transfers the limit allows at once.
  var slots: Int { max(0, limit - Self.process - others) / Self.transfer }
}

extension OpenFiles {
  /// The limit of the process, raised to what `slots` transfers need, as far as that is allowed.
  init(raisedFor slots: Int, besides others: Int = 0) {
    var limits = rlimit()
    _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    let needed = rlim_t(Self.process + others + Self.transfer * slots)
    var raised = limits
    raised.rlim_cur = max(limits.rlim_cur, min(needed, limits.rlim_max))
    if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limits = raised }
    self.init(limit: Int(clamping: limits.rlim_cur), others: others)
  }
}
