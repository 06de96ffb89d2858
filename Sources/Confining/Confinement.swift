internal import CLinux
internal import Glibc
internal import Supporting

/// What a process gave up for good after its start, so that an attacker gets little: files, ports
/// and calls that it does not need, rights of programs it might run, and access to its memory.
package struct Confinement: Sendable, Equatable {
  /// What Landlock lets the process use, or why it sets no limits. Nil if no limits were asked for.
  package let places: Result<Places, ConfiningError>?
  /// How many system calls are allowed, or why all are.
  package let calls: Result<Int, ConfiningError>
  /// Why programs that it runs could get more rights than it has, or why root keeps all of its capabilities.
  package let privilegesError: ConfiningError?

  /// Gives up what is not needed. Call it before a second thread starts, or Landlock would miss it.
  package static func enforce(_ needs: Needs) -> Confinement {
    // No core dump, and no access for other processes of this user (prctl(2)): keys are in memory.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = prctl_set_dumpable(0)
    // This comes first: without it, the kernel accepts filters and rules only from root.
    let hasFewer = prctl_set_no_new_privileges() == 0 && keep_capabilities(capabilities(needs)) == 0
    let privilegesError = hasFewer ? nil : ConfiningError(errno)
    // This comes before the filter of calls, which forbids it.
    let places = needs.paths.map { paths in
      Result { () throws(ConfiningError) in try LandlockRules.enforce(needs, paths) }
    }
    let calls = Result { () throws(ConfiningError) in
      let rules = AllowedCalls.rules(for: needs.calls)
      try CallFilter(rules).enforce()
      return rules.count
    }
    return Confinement(places: places, calls: calls, privilegesError: privilegesError)
  }

  /// The capabilities that root keeps: DAC_OVERRIDE for files of others, NET_BIND_SERVICE, IPC_LOCK
  /// and SYS_RESOURCE of linux/capability.h, and CHOWN if the process gives files away.
  private static func capabilities(_ needs: Needs) -> UInt64 {
    1 << 1 | 1 << 10 | 1 << 14 | 1 << 24 | (needs.calls.contains(.owners) ? 1 << 0 : 0)
  }

  /// What is in force, in words.
  package var inForce: String {
    var parts = (try? places?.get())?.inForce ?? []
    if let count = try? calls.get() { parts.append("system calls (seccomp: \(count) allowed)") }
    if privilegesError == nil { parts.append("no new privileges") }
    return (parts + ["not dumpable"]).joined(separator: ", ")
  }

  /// What is not in force and why, in words. Nil if everything is.
  package var missing: String? {
    var parts: [String] = []
    switch places {
    case .success(let places)?: parts += places.missing
    case .failure(let error)?: parts.append("files and TCP ports (Landlock): \(error)")
    case nil: break
    }
    if case .failure(let error) = calls { parts.append("system calls (seccomp): \(error)") }
    if let privilegesError { parts.append("no new privileges: \(privilegesError)") }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}

/// Why a part of the sandbox is missing.
package enum ConfiningError: Error, Equatable, CustomStringConvertible {
  /// The kernel does not have it, or it is switched off.
  case unsupported
  /// `code` is as in errno(3).
  case refused(code: Int32)

  init(_ code: Int32) {
    // Container engines answer EPERM to calls that they do not know.
    self = [ENOSYS, EOPNOTSUPP, EINVAL, EPERM].contains(code) ? .unsupported : .refused(code: code)
  }

  package var description: String {
    switch self {
    case .unsupported: "this kernel does not have it, or a container or service manager forbids it"
    case .refused(let code): String(errno: code)
    }
  }
}
