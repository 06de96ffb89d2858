internal import CLinux
internal import Glibc

/// What a process has given up for good once it has started, so that an attacker who takes it over gets
/// little: files that it does not need, calls that nothing in it makes, rights of programs it might execute,
/// and looks into its memory.
package struct Confinement: Sendable, Equatable {
  /// The version of Landlock that keeps it to its files, or why nothing does; nil where that was not asked
  /// for.
  package let files: Result<Int, ConfiningError>?
  /// What keeps it from `ForbiddenCalls`: nil, or why nothing does.
  package let callsError: ConfiningError?
  /// Why programs that it executes could get more rights than it has, or why it has all those of root if it
  /// is root; nil when not.
  package let privilegesError: ConfiningError?

  /// What root keeps of its rights, as in linux/capability.h: all files that it may use (`CAP_CHOWN`,
  /// `DAC_OVERRIDE`, `DAC_READ_SEARCH`, `FOWNER`, `FSETID`), low ports (`NET_BIND_SERVICE`), memory that is
  /// locked (`IPC_LOCK`) and limits (`SYS_RESOURCE`). Among the others are those to read the memory of the
  /// kernel and of other processes.
  private static let keptCapabilities: UInt64 =
    1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 10 | 1 << 14 | 1 << 24

  /// Gives up what is not needed.
  ///
  /// To be called before the process has a second thread: Landlock restricts those that are started later,
  /// and no others.
  /// - Parameter paths: the files that are needed; nil to allow all.
  package static func enforce(_ paths: AllowedPaths?) -> Confinement {
    // Neither a core dump, nor a look from another process of the same user (prctl(2)): keys, and what
    // ciphers make of them, lie in memory. Against dumps the limit alone would do, too. Neither fails for any
    // process.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = prctl_set_dumpable(0)
    // First, because without it the kernel takes filters and rules from root alone.
    let hasFewer = prctl_set_no_new_privileges() == 0 && keep_capabilities(keptCapabilities) == 0
    let privilegesError = hasFewer ? nil : ConfiningError(errno)
    // Before the calls: that filter may forbid what this needs.
    let files = paths.map { paths in
      Result { () throws(ConfiningError) in try FileRules.enforce(paths) }
    }
    var callsError: ConfiningError?
    do throws(ConfiningError) {
      try CallFilter.enforce()
    } catch {
      callsError = error
    }
    return Confinement(files: files, callsError: callsError, privilegesError: privilegesError)
  }
}

extension Confinement {
  /// What is in force, in words.
  package var inForce: String {
    var parts: [String] = []
    if case .success(let version) = files { parts.append("files (Landlock \(version))") }
    if callsError == nil { parts.append("system calls (seccomp)") }
    if privilegesError == nil { parts.append("no new privileges") }
    return (parts + ["not dumpable"]).joined(separator: ", ")
  }

  /// What is not in force and why, in words; nil when nothing is missing.
  package var missing: String? {
    var parts: [String] = []
    if case .failure(let error) = files { parts.append("files (Landlock): \(error)") }
    if let callsError { parts.append("system calls (seccomp): \(callsError)") }
    if let privilegesError { parts.append("no new privileges: \(privilegesError)") }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
