import Glibc

/// Something that the sandbox must refuse, or must allow.
struct Attempt {
  let name: String
  /// A C expression that is negative if it fails, with the cause in `errno`.
  let code: String
  /// The expected error; 0 if it must succeed.
  let error: Int32

  init(_ name: String, _ code: String, _ error: Int32) {
    self.name = name
    self.code = code
    self.error = error
  }

  static let all = files + rights + sockets + memory + processes + kernel + allowed

  private static let files = [
    Attempt("read", "open(secret, O_RDONLY)", EACCES),
    Attempt("write", "open(secret, O_WRONLY)", EACCES),
    Attempt("empty", "syscall(SYS_truncate, secret, 0)", ENOSYS),
    Attempt("make-file", "open(beside, O_WRONLY | O_CREAT, 0600)", EACCES),
    Attempt("make-directory", "mkdir(beside, 0700)", EACCES),
    Attempt("make-link", "syscall(SYS_symlinkat, secret, AT_FDCWD, beside)", ENOSYS),
    Attempt("make-device", "syscall(SYS_mknodat, AT_FDCWD, beside, S_IFCHR, 0)", ENOSYS),
    Attempt("remove", "unlink(secret)", EACCES),
    Attempt("read-parent", "open(environment_of_parent, O_RDONLY)", EACCES),
    Attempt("write-self", "open(\"/proc/self/mem\", O_RDWR)", EACCES),
  ]

  /// The intruder is root in these tests. Elsewhere it may be the owner of files.
  private static let rights = [
    Attempt("chown", "syscall(SYS_fchownat, AT_FDCWD, secret, 1, 1, 0)", ENOSYS),
    Attempt("chown-open", "syscall(SYS_fchown, hosts, 1, 1)", ENOSYS),
    Attempt("chmod", "syscall(SYS_fchmodat, AT_FDCWD, secret, 04777)", ENOSYS),
    Attempt("chmod-open", "syscall(SYS_fchmod, hosts, 04777)", ENOSYS),
    Attempt("chmod-2", "syscall(452, AT_FDCWD, secret, 04777, 0)", ENOSYS),
    Attempt("set-times", "syscall(SYS_utimensat, AT_FDCWD, secret, 0, 0)", EPERM),
    Attempt("set-attribute", "syscall(SYS_setxattr, secret, \"user.a\", \"b\", 1, 0)", ENOSYS),
    Attempt("set-attribute-open", "syscall(SYS_fsetxattr, hosts, \"user.a\", \"b\", 1, 0)", ENOSYS),
    Attempt("remove-attribute", "syscall(SYS_removexattr, secret, \"user.a\")", ENOSYS),
    Attempt("set-user", "syscall(SYS_setuid, 1)", ENOSYS),
    Attempt("more-capabilities", "syscall(SYS_capset, -1L, -1L)", ENOSYS),
  ]

  private static let sockets = [
    Attempt("unix", "socket(AF_UNIX, SOCK_STREAM, 0)", EAFNOSUPPORT),
    Attempt("unix-datagrams", "socket(AF_UNIX, SOCK_DGRAM, 0)", EAFNOSUPPORT),
    Attempt("unix-pair-of-datagrams", "socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)", EAFNOSUPPORT),
    Attempt("netlink", "socket(AF_NETLINK, SOCK_RAW, 0)", EAFNOSUPPORT),
    Attempt("packets", "socket(AF_PACKET, SOCK_RAW, 0)", EAFNOSUPPORT),
    Attempt("ciphers", "socket(AF_ALG, SOCK_SEQPACKET, 0)", EAFNOSUPPORT),
    Attempt("virtual-machines", "socket(40, SOCK_STREAM, 0)", EAFNOSUPPORT),
    Attempt("raw-ip", "socket(AF_INET, SOCK_RAW, IPPROTO_TCP)", EAFNOSUPPORT),
    Attempt("icmp", "socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP)", EAFNOSUPPORT),
    Attempt("mptcp", "socket(AF_INET, SOCK_STREAM, 262)", EAFNOSUPPORT),
    Attempt("mptcp-6", "socket(AF_INET6, SOCK_STREAM, 262)", EAFNOSUPPORT),
    Attempt("other-port", "connect(tcp, (struct sockaddr *)&other, sizeof other)", EACCES),
    Attempt(
      "other-port-fast",
      "sendto(tcp, \"a\", 1, MSG_FASTOPEN, (struct sockaddr *)&other, sizeof other)", EOPNOTSUPP),
    Attempt("other-port-fast-message", "sendmsg(tcp, &message, MSG_FASTOPEN)", EOPNOTSUPP),
  ]

  private static let memory = [
    Attempt("write-and-execute", "map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_ANONYMOUS, -1)", EACCES),
    Attempt("execute-file", "map(PROT_READ | PROT_EXEC, 0, hosts)", EACCES),
    Attempt("execute-later", "mprotect(page, 4096, PROT_READ | PROT_EXEC)", EACCES),
    Attempt("execute-by-key", "syscall(SYS_pkey_mprotect, page, 4096, PROT_EXEC, -1)", ENOSYS),
    Attempt("memory-file", "syscall(SYS_memfd_create, \"a\", 0)", ENOSYS),
    Attempt("secret-memory", "syscall(SYS_memfd_secret, 0)", ENOSYS),
    Attempt("shared-memory", "syscall(SYS_shmget, 0, 4096, 0600)", ENOSYS),
  ]

  private static let processes = [
    Attempt("fork", "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)", EPERM),
    Attempt("new-user", "syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)", EPERM),
    Attempt("new-network", "syscall(SYS_clone, CLONE_THREAD | CLONE_NEWNET, 0, 0, 0, 0)", EPERM),
    Attempt("kill-parent", "kill(getppid(), 0)", EPERM),
    Attempt("kill-all", "kill(-1, 0)", EPERM),
    Attempt("kill-group", "kill(0, 0)", EPERM),
    Attempt("kill-thread", "syscall(SYS_tgkill, getppid(), getppid(), 0)", EPERM),
    Attempt("limit-parent", "syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, 0, 0)", EPERM),
    Attempt("dumpable", "prctl(PR_SET_DUMPABLE, 1)", EPERM),
    Attempt("traced", "prctl(PR_SET_PTRACER, -1L)", EPERM),
    Attempt("signals-to-parent", "fcntl(hosts, F_SETOWN, getppid())", EINVAL),
    Attempt("notices", "fcntl(hosts, F_NOTIFY, 1)", EINVAL),
    Attempt("type", "ioctl(0, TIOCSTI, \"x\")", ENOTTY),
  ]

  /// Calls that many kernel headers do not have yet, or that do not exist.
  private static let kernel = [
    Attempt("open-tree-attr", "syscall(467, -1L, -1L, -1L)", ENOSYS),
    Attempt("none", "syscall(9999)", ENOSYS),
    Attempt("i386", "syscall(0x40000000 | SYS_execve, -1L)", ENOSYS),
  ]

  /// Calls that must still work.
  private static let allowed = [
    Attempt("read-hosts", "open(\"/etc/hosts\", O_RDONLY)", 0),
    Attempt("tcp", "socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP)", 0),
    Attempt("udp", "socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP)", 0),
    Attempt("lock", "fcntl(hosts, F_OFD_GETLK, &lock)", 0),
    Attempt("kill-self", "kill(getpid(), 0)", 0),
  ]
}
