internal import CLinux
internal import Glibc

/// The system calls that this program and its libraries make once it is confined: those that all commands,
/// tests and benchmarks were seen to make, and those that other kernels, versions of the libraries and
/// machines make in their place. Everything else answers as if the kernel did not have it.
enum AllowedCalls {
  static func rules(for groups: CallGroup) -> [CallRule] {
    var rules = (free + legacy).map { CallRule(number: $0) } + limited + process(getpid())
    rules += memory(groups) + sockets(groups)
    if groups.contains(.listening) {
      rules += ([SYS_accept4, SYS_accept, SYS_bind, SYS_listen]).map { CallRule(number: $0) }
    }
    if groups.contains(.owners) { rules += owners }
    return rules
  }

  /// Allowed whatever their arguments are.
  private static let free: [Int32] = [
    // Descriptors.
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv, SYS_pwritev,
    SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_close, SYS_close_range, SYS_dup, SYS_dup3, SYS_pipe2,
    SYS_sendfile,
    // Files. Landlock says which.
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
    // What time it is, who and where this is.
    SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_times, SYS_getrusage, SYS_sysinfo, SYS_uname,
    SYS_getrandom, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
    SYS_getgroups, SYS_getresuid, SYS_getresgid, SYS_getpgid, SYS_getsid, SYS_getpriority, SYS_capget,
    // Sockets that are there.
    SYS_connect, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_recvfrom, SYS_recvmsg,
    SYS_recvmmsg, SYS_shutdown,
  ]

  /// Older forms of the same, which newer processors' kernels do not have.
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
    // Also locks; not whom the kernel is to send signals to (F_SETOWN), nor leases and notices of files.
    CallRule(
      number: SYS_fcntl, error: EINVAL,
      tests: [
        ArgumentTest(
          argument: 1,
          values: [
            F_GETFL, F_SETFL, F_SETLK, F_GETLK, lockOfFile, lockOfFileQuestion, F_GETFD, F_SETFD, F_SETLKW,
            lockOfFileWaiting, F_DUPFD, F_DUPFD_CLOEXEC,
          ].map { UInt32($0) })
      ]),
    // To ask terminals for their size, sockets for what waits in them and for this machine's addresses; not
    // to type for somebody who sits at the same terminal (TIOCSTI).
    CallRule(
      number: SYS_ioctl, error: ENOTTY,
      tests: [
        ArgumentTest(
          argument: 1,
          values: [
            FIONREAD, FIONBIO, FIOCLEX, FIONCLEX, TCGETS, TIOCGWINSZ, TIOCGPGRP, TIOCOUTQ, SIOCGIFCONF,
            SIOCGIFINDEX, SIOCGIFNAME,
          ].map { UInt32($0) } + [newerTerminalQuestion])
      ]),
    // Not whether the process can be dumped.
    CallRule(
      number: SYS_prctl, error: EPERM,
      tests: [
        ArgumentTest(
          argument: 0,
          values: [
            PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE, PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP, PR_CAPBSET_READ,
            PR_GET_TAGGED_ADDR_CTRL, nameOfMemory,
          ].map { UInt32($0) })
      ]),
    // The times of an open file only (futimens(3)), so that Landlock has said that it may be opened.
    CallRule(
      number: SYS_utimensat, error: EPERM,
      tests: [
        ArgumentTest(argument: 1, values: [0]), ArgumentTest(argument: 1, isUpperHalf: true, values: [0]),
      ]),
    // A thread, and no other process: nothing here starts any. None of the namespaces either, each of which
    // is a door to parts of the kernel that are closed otherwise. clone3(2) is not allowed, because its flags
    // lie in memory where no filter sees them: the C library goes on with this one.
    CallRule(
      number: SYS_clone, error: EPERM,
      tests: [
        ArgumentTest(
          argument: 0, mask: UInt32(CLONE_THREAD) | namespaces, values: [UInt32(CLONE_THREAD)])
      ]),
    // The priority of the thread itself.
    CallRule(
      number: SYS_setpriority, error: EPERM,
      tests: [ArgumentTest(argument: 0, values: [0]), ArgumentTest(argument: 1, values: [0])]),
  ]

  private static let owners = [
    CallRule(number: SYS_fchown),
    // Rights to read and to write. No file becomes a program, least of all one with its owner's rights.
    CallRule(
      number: SYS_fchmod, error: EPERM, tests: [ArgumentTest(argument: 1, mask: ~0o666, values: [0])]),
  ]

  /// F_OFD_GETLK, F_OFD_SETLK and F_OFD_SETLKW of fcntl(2).
  private static let (lockOfFileQuestion, lockOfFile, lockOfFileWaiting): (Int32, Int32, Int32) = (36, 37, 38)
  /// TCGETS2 of asm-generic/ioctls.h, which glibc 2.42 asks first.
  private static let newerTerminalQuestion: UInt32 = 0x802C_542A
  /// PR_SET_VMA of linux/prctl.h.
  private static let nameOfMemory: Int32 = 0x5356_4D41
  /// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET of linux/sched.h.
  private static let namespaces: UInt32 = 0x7E02_0000

  /// What is done to a process, to this one only.
  private static func process(_ id: pid_t) -> [CallRule] {
    [
      CallRule(
        number: SYS_kill, error: EPERM, tests: [ArgumentTest(argument: 0, values: [UInt32(id)])]),
      CallRule(
        number: SYS_tgkill, error: EPERM, tests: [ArgumentTest(argument: 0, values: [UInt32(id)])]),
      CallRule(
        number: SYS_prlimit64, error: EPERM, tests: [ArgumentTest(argument: 0, values: [0, UInt32(id)])]),
    ]
  }

  /// No memory that can be executed, unless libraries are loaded later, and then none that can be written as
  /// well.
  private static func memory(_ groups: CallGroup) -> [CallRule] {
    let (write, execute) = (UInt32(PROT_WRITE), UInt32(PROT_EXEC))
    let test =
      groups.contains(.libraries)
      ? ArgumentTest(argument: 2, mask: write | execute, values: [0, write, execute])
      : ArgumentTest(argument: 2, mask: execute, values: [0])
    return [SYS_mmap, SYS_mprotect].map { CallRule(number: $0, error: EACCES, tests: [test]) }
  }

  /// Sockets over IP: TCP and UDP, but neither MPTCP, which Landlock's rules are not for, nor ICMP.
  private static func sockets(_ groups: CallGroup) -> [CallRule] {
    let families = [AF_INET, AF_INET6] + (groups.contains(.unixSockets) ? [AF_UNIX] : [])
    return [
      CallRule(
        number: SYS_socket, error: EAFNOSUPPORT,
        tests: [
          ArgumentTest(argument: 0, values: families.map { UInt32($0) }),
          ArgumentTest(argument: 1, mask: 0xFF, values: [stream, 2]),
          ArgumentTest(argument: 2, values: [0, 6, 17]),
        ]),
      // For libcurl to wake itself up. One of streams cannot be connected to anything else later.
      CallRule(
        number: SYS_socketpair, error: EAFNOSUPPORT,
        tests: [
          ArgumentTest(argument: 0, values: [UInt32(AF_UNIX)]),
          ArgumentTest(argument: 1, mask: 0xFF, values: [stream]),
        ]),
      // With MSG_FASTOPEN they connect, and Landlock is not asked.
      CallRule(number: SYS_sendto, error: EOPNOTSUPP, tests: [isNoFastOpen(3)]),
      CallRule(number: SYS_sendmsg, error: EOPNOTSUPP, tests: [isNoFastOpen(2)]),
      CallRule(number: SYS_sendmmsg, error: EOPNOTSUPP, tests: [isNoFastOpen(3)]),
    ]
  }

  private static func isNoFastOpen(_ argument: UInt32) -> ArgumentTest {
    ArgumentTest(argument: argument, mask: UInt32(MSG_FASTOPEN), values: [0])
  }

  /// SOCK_STREAM.
  private static let stream: UInt32 = 1
}
