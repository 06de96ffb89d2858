internal import CLinux
internal import Glibc
internal import Supporting

/// What a process has given up for good once it has started, so that an attacker who takes it over gets
/// little: files and ports that it does not need, calls that nothing in it makes, rights of programs it might
/// execute, and looks into its memory.
package struct Confinement: Sendable, Equatable {
  /// What Landlock leaves it, or why there are no such limits; nil if none were asked for.
  package let places: Result<Places, ConfiningError>?
  /// How many system calls it may still make, or why it may make all.
  package let calls: Result<Int, ConfiningError>
  /// Why programs that it executes could get more rights than it has, or why it has all those of root if it
  /// is root; nil when not.
  package let privilegesError: ConfiningError?

  /// Gives up what is not needed.
  ///
  /// To be called before the process has a second thread: Landlock restricts those that are started later,
  /// and no others.
  package static func enforce(_ needs: Needs) -> Confinement {
    // Neither a core dump, nor a look from another process of the same user (prctl(2)): keys, and what
    // ciphers make of them, lie in memory. Against dumps the limit alone would do, too. Neither fails for any
    // process.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = prctl_set_dumpable(0)
    // First, because without it the kernel takes filters and rules from root alone.
    let hasFewer = prctl_set_no_new_privileges() == 0 && keep_capabilities(capabilities(needs)) == 0
    let privilegesError = hasFewer ? nil : ConfiningError(errno)
    // Before the calls: that filter forbids what this needs.
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

  /// What root keeps of its rights, as in linux/capability.h: files of others in the places that it may use
  /// (`CAP_DAC_OVERRIDE`), low ports (`NET_BIND_SERVICE`), memory that is locked (`IPC_LOCK`) and limits
  /// (`SYS_RESOURCE`), and for those that give files away `CAP_CHOWN`.
  private static func capabilities(_ needs: Needs) -> UInt64 {
    1 << 1 | 1 << 10 | 1 << 14 | 1 << 24 | (needs.calls.contains(.owners) ? 1 << 0 : 0)
  }
}

extension Confinement {
  /// What is in force, in words.
  package var inForce: String {
    var parts = (try? places?.get())?.inForce ?? []
    if let count = try? calls.get() { parts.append("system calls (seccomp: \(count) allowed)") }
    if privilegesError == nil { parts.append("no new privileges") }
    return (parts + ["not dumpable"]).joined(separator: ", ")
  }

  /// What is not in force and why, in words; nil when nothing is missing.
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

/// Why a part of the sandbox is not there.
package enum ConfiningError: Error, Equatable, CustomStringConvertible {
  /// The kernel has no such thing, or it is switched off.
  case unsupported
  /// The kernel has it and says no; `code` as in `errno(3)`.
  case refused(code: Int32)

  init(_ code: Int32) {
    // What surrounds a container answers EPERM for what it does not know.
    self = [ENOSYS, EOPNOTSUPP, EINVAL, EPERM].contains(code) ? .unsupported : .refused(code: code)
  }

  package var description: String {
    switch self {
    case .unsupported: "this kernel does not have it, or what surrounds the process forbids it"
    case .refused(let code): String(errno: code)
    }
  }
}
