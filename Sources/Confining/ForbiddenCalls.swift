internal import Glibc

/// System calls that nothing in here ever makes, by the names of syscalls(2).
enum ForbiddenCalls {
  /// A call of one of these means that the process has been taken over: the kernel ends it at once.
  static let fatal = [
    // Other programs, and what other processes have in memory or open.
    "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
    // The kernel itself.
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "bpf", "userfaultfd",
    "reboot", "iopl", "ioperm", "modify_ldt",
    // The tree of files, and what names mean for a process.
    "mount", "umount2", "mount_setattr", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick",
    "pivot_root", "chroot", "setns", "unshare", "open_by_handle_at",
    // The machine.
    "swapon", "swapoff", "acct", "quotactl", "settimeofday", "clock_settime", "sethostname", "setdomainname",
    "fanotify_init",
  ]

  /// What a library may try and do without: it gets the answer of a kernel that does not have it, or does not
  /// allow it.
  static let refused: [(name: String, code: Int32)] = [
    ("keyctl", EPERM), ("add_key", EPERM), ("request_key", EPERM),
    ("io_uring_setup", ENOSYS), ("io_uring_enter", ENOSYS), ("io_uring_register", ENOSYS),
    ("perf_event_open", EPERM), ("personality", EPERM), ("syslog", EPERM),
    ("adjtimex", EPERM), ("clock_adjtime", EPERM),
    // Its flags lie in memory, where no filter sees them. The C library goes on with clone(2), whose flags it
    // does see.
    ("clone3", ENOSYS),
  ]

  /// Flags of clone(2) that make namespaces, each of which is a door to parts of the kernel that are closed
  /// otherwise: `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID` and `NEWNET`, as in
  /// linux/sched.h.
  static let namespaces: [UInt64] = [
    0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
  ]

  /// The last family of sockets that anything in here has use for (AF_NETLINK, for the addresses of this
  /// machine); the ones above are raw packets, the kernel's ciphers, virtual machines and others.
  static let lastSocketFamily = UInt64(AF_NETLINK)

  /// Of ioctl(2): to type for somebody who sits at the same terminal.
  static let typing = UInt64(TIOCSTI)
}
