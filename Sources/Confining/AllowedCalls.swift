internal import CLinux
internal import Glibc

/// The system calls that this program and its libraries were seen to make when confined, or would
/// make on other kernels and machines. All other calls fail as if the kernel lacked them.
enum AllowedCalls {
  static func rules(for groups: CallGroup) -> [CallRule] {
    let listening = groups.contains(.listening) ? [SYS_accept4, SYS_accept, SYS_bind, SYS_listen] : []
    return (free + legacy + listening).map { CallRule($0) } + limited + process(getpid())
      + (groups.contains(.owners) ? owners : []) + memory(groups) + sockets
  }

  /// Allowed with any arguments.
  private static let free: [Int32] = [
    // Descriptors.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev,
    SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_pipe2,
    SYS_sendfile,
    // Files. Landlock decides which.
    SYS_openat, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_fstatfs, SYS_statfs, SYS_faccessat, SYS_faccessat2,
    SYS_getdents64, SYS_getcwd, SYS_readlinkat, SYS_mkdirat, SYS_unlinkat, SYS_renameat2, SYS_linkat,
    SYS_ftruncate, SYS_fallocate, SYS_fadvise64, SYS_fsync, SYS_fdatasync, SYS_syncfs, SYS_sync_file_range,
    SYS_flock, SYS_umask,
    // Waiting.
    SYS_ppoll, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2,
    SYS_eventfd2, SYS_timerfd_create, SYS_timerfd_settime, SYS_timerfd_gettime, SYS_signalfd4, SYS_nanosleep,
    SYS_clock_nanosleep, SYS_restart_syscall, SYS_setitimer, SYS_getitimer,
    // Memory.
    SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_mlock, SYS_munlock, SYS_msync, SYS_mincore,
    // Threads and signals.
    SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_set_tid_address, SYS_rseq, SYS_membarrier,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getscheduler, SYS_sched_getparam,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_getcpu, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_rt_sigpending, SYS_sigaltstack, SYS_exit,
    SYS_exit_group,
    // The time, and who and where this process is.
    SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_times, SYS_getrusage, SYS_sysinfo, SYS_uname,
    SYS_getrandom, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_getpgid, SYS_getsid, SYS_getpriority, SYS_capget,
    // Existing sockets.
    SYS_connect, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_recvfrom, SYS_recvmsg,
    SYS_recvmmsg, SYS_shutdown,
  ]

  /// Older forms of the same calls, which kernels for newer processors do not have.
  #if arch(x86_64)
    private static let legacy = [
      SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_mkdir, SYS_rmdir, SYS_unlink, SYS_rename,
      SYS_renameat, SYS_link, SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait,
      SYS_eventfd, SYS_signalfd, SYS_pause, SYS_alarm, SYS_time, SYS_getpgrp, SYS_arch_prctl,
    ]
  #else
    private static let legacy = [SYS_renameat]
  #endif

  private static let limited = [
    CallRule(SYS_fcntl, else: EINVAL, ArgumentTest(1, fileCommands)),
    CallRule(SYS_ioctl, else: ENOTTY, ArgumentTest(1, deviceCommands)),
    CallRule(SYS_prctl, else: EPERM, ArgumentTest(0, processCommands)),
    // Only the times of an open file (futimens(3)): Landlock allowed opening it.
    CallRule(SYS_utimensat, else: EPERM, ArgumentTest(1, [0]), ArgumentTest(1, isUpperHalf: true, [0])),
    // A thread, but no process, and no namespace, which would expose more of the kernel. clone3(2)
    // is not allowed, because no filter sees its flags in memory. The C library falls back to
    // clone(2).
    CallRule(SYS_clone, else: EPERM, ArgumentTest(0, mask: CLONE_THREAD | namespaces, [CLONE_THREAD])),
    // Only the priority of the thread itself.
    CallRule(SYS_setpriority, else: EPERM, ArgumentTest(0, [0]), ArgumentTest(1, [0])),
  ]

  /// Includes locks: F_OFD_GETLK, F_OFD_SETLK and F_OFD_SETLKW are written as numbers. Excludes
  /// choosing whom the kernel signals (F_SETOWN), leases, and notifications about files.
  private static let fileCommands: [Int32] = [
    F_GETFL, F_SETFL, F_SETLK, F_GETLK, 37, 36, F_GETFD, F_SETFD, F_SETLKW, 38, F_DUPFD, F_DUPFD_CLOEXEC,
  ]

  /// Excludes faking input to the same terminal (TIOCSTI).
  private static let deviceCommands =
    [
      FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ, TIOCGPGRP, TIOCOUTQ, SIOCGIFCONF,
      SIOCGIFINDEX, SIOCGIFNAME,
    ].map { Int($0) } + [0x802C_542A]  // TCGETS2 of asm-generic/ioctls.h, which glibc 2.42 tries first.

  /// Excludes making the process dumpable.
  private static let processCommands: [Int32] = [
    PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP, PR_CAPBSET_READ,
    PR_GET_TAGGED_ADDR_CTRL, 0x5356_4D41,  // PR_SET_VMA of linux/prctl.h.
  ]

  /// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET of linux/sched.h.
  private static let namespaces: Int32 = 0x7E02_0000

  private static let owners = [
    CallRule(SYS_fchown),
    // Only permissions to read and write. No file can be made executable, let alone with its owner's
    // rights (setuid).
    CallRule(SYS_fchmod, else: EPERM, ArgumentTest(1, mask: ~0o666, [0])),
  ]

  /// Calls that concern a process. They are allowed for this process only.
  private static func process(_ id: pid_t) -> [CallRule] {
    [SYS_kill, SYS_tgkill].map { CallRule($0, else: EPERM, ArgumentTest(0, [id])) }
      + [CallRule(SYS_prlimit64, else: EPERM, ArgumentTest(0, [0, id]))]
  }

  /// Forbids executable memory. If libraries are loaded later, forbids only memory that is writable as well.
  private static func memory(_ groups: CallGroup) -> [CallRule] {
    let test =
      groups.contains(.libraries)
      ? ArgumentTest(2, mask: PROT_WRITE | PROT_EXEC, [0, PROT_WRITE, PROT_EXEC])
      : ArgumentTest(2, mask: PROT_EXEC, [0])
    return [SYS_mmap, SYS_mprotect].map { CallRule($0, else: EACCES, test) }
  }

  /// Allows TCP and UDP over IP. Excludes MPTCP, for which Landlock has no rules, and ICMP. AF_UNIX
  /// would reach every service of this machine that has such a socket, even a container engine.
  private static var sockets: [CallRule] {
    // The second argument holds the type and flags. Protocol 0 is the type's own, 6 TCP, 17 UDP.
    let (stream, datagram, protocols, type) = (1, 2, [0, 6, 17], 0xFF)
    // With MSG_FASTOPEN, these calls connect without asking Landlock.
    let sending: [(Int32, flags: UInt32)] = [(SYS_sendto, 3), (SYS_sendmsg, 2), (SYS_sendmmsg, 3)]
    return sending.map { CallRule($0, else: EOPNOTSUPP, ArgumentTest($1, mask: Int(MSG_FASTOPEN), [0])) } + [
      CallRule(
        SYS_socket, else: EAFNOSUPPORT, ArgumentTest(0, [AF_INET, AF_INET6]),
        ArgumentTest(1, mask: type, [stream, datagram]), ArgumentTest(2, protocols)),
      // libcurl wakes itself up with a pair of streams, which cannot be connected to anything else.
      CallRule(
        SYS_socketpair, else: EAFNOSUPPORT, ArgumentTest(0, [AF_UNIX]), ArgumentTest(1, mask: type, [stream])),
    ]
  }
}
