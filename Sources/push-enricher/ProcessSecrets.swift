internal import CLinux
internal import Glibc

/// What keeps keys inside the process.
enum ProcessSecrets {
  /// No core dump is written from now on, and no other process of the same user may look inside
  /// (`PR_SET_DUMPABLE`, prctl(2)): the key schedules of ciphers lie on the heap for as long as a file is
  /// decrypted.
  static func guardKeys() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // Either would be enough; they fail only where the kernel forbids the call.
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = prctl_set_dumpable(0)
  }
}
