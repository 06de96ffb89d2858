internal import CSeccomp
internal import Glibc

/// System calls that the kernel refuses to this process from some moment on (seccomp(2), by libseccomp).
/// Frees itself; what it has enforced stays.
@safe struct CallFilter: ~Copyable {
  private let context: scmp_filter_ctx

  /// - Throws: `ConfiningError.refused` without memory.
  init() throws(ConfiningError) {
    guard let context = unsafe seccomp_init(SCMP_ACT_ALLOW) else { throw .refused(code: ENOMEM) }
    unsafe self.context = context
    // For all threads, if there are others already. System calls of another architecture are refused.
    set(SCMP_FLTATR_CTL_TSYNC, 1)
    set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS)
    // Without guards against side channels in the processor: they are for code of strangers in the same
    // process, and cost time.
    set(SCMP_FLTATR_CTL_SSB, 1)
    // What the kernel says, not ECANCELED.
    set(SCMP_FLTATR_API_SYSRAWRC, 1)
  }

  deinit { unsafe seccomp_release(context) }

  /// Each is better with it and good without: kernels and libraries that are older do not know some.
  private func set(_ attribute: scmp_filter_attr, _ value: UInt32) {
    _ = unsafe seccomp_attr_set(context, attribute, value)
  }

  /// Ends the process when it makes a call whose arguments all are as `arguments` have it.
  func kill(_ name: String, where arguments: [scmp_arg_cmp] = []) throws(ConfiningError) {
    try add(SCMP_ACT_KILL_PROCESS, name, arguments)
  }

  /// Answers such a call with an error and does nothing; `code` as in `errno(3)`.
  func refuse(_ name: String, code: Int32, where arguments: [scmp_arg_cmp] = []) throws(ConfiningError) {
    // SCMP_ACT_ERRNO of seccomp.h.
    try add(0x0005_0000 | UInt32(code & 0xFFFF), name, arguments)
  }

  private func add(_ action: UInt32, _ name: String, _ arguments: [scmp_arg_cmp]) throws(ConfiningError) {
    let number = unsafe seccomp_syscall_resolve_name(name)
    // One that this processor's kernel does not have, or that is younger than the library.
    guard number >= 0 else { return }
    let status = unsafe arguments.withUnsafeBufferPointer {
      unsafe seccomp_rule_add_array(context, action, number, UInt32($0.count), $0.baseAddress)
    }
    guard status == 0 else { throw ConfiningError(-status) }
  }

  /// From now on and for good, for all threads.
  func enforce() throws(ConfiningError) {
    let status = unsafe seccomp_load(context)
    guard status == 0 else { throw ConfiningError(-status) }
  }
}

extension CallFilter {
  /// Forbids all `ForbiddenCalls`.
  /// - Throws: `ConfiningError`.
  static func enforce() throws(ConfiningError) {
    let filter = try CallFilter()
    for name in ForbiddenCalls.fatal { try filter.kill(name) }
    for call in ForbiddenCalls.refused { try filter.refuse(call.name, code: call.code) }
    for flag in ForbiddenCalls.namespaces {
      try filter.kill(
        "clone", where: [scmp_arg_cmp(arg: 0, op: SCMP_CMP_MASKED_EQ, datum_a: flag, datum_b: flag)])
    }
    try filter.refuse(
      "socket", code: EAFNOSUPPORT,
      where: [
        scmp_arg_cmp(arg: 0, op: SCMP_CMP_GT, datum_a: ForbiddenCalls.lastSocketFamily, datum_b: 0)
      ])
    // The kernel looks at 32 bits of it.
    try filter.refuse(
      "ioctl", code: EPERM,
      where: [
        scmp_arg_cmp(arg: 1, op: SCMP_CMP_MASKED_EQ, datum_a: 0xFFFF_FFFF, datum_b: ForbiddenCalls.typing)
      ])
    try filter.enforce()
  }
}
