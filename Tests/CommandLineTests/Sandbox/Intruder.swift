import TestSupport

/// Somebody who has taken over the program while it stores a file, and tells on stderr how far he gets.
enum Intruder {
  /// Calls that are to end whoever makes them, by their names in `asm/unistd.h`.
  static let fatalCalls = [
    "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
    "init_module",
    "finit_module", "delete_module", "kexec_load", "bpf", "userfaultfd", "reboot", "mount", "umount2",
    "mount_setattr", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount", "fspick", "pivot_root",
    "chroot",
    "setns", "unshare", "open_by_handle_at", "swapon", "swapoff", "acct", "settimeofday", "clock_settime",
    "sethostname", "setdomainname", "fanotify_init",
  ]

  /// Each line that it writes: what was tried, and the signal or the error that came of it.
  static func findings(in standardError: String) -> [String: String] {
    let words = standardError.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
    return Dictionary(
      words.filter { $0.first == "intruder" && $0.count == 3 }.map { ($0[1], $0[2]) },
      uniquingKeysWith: { $1 })
  }

  /// Every argument is -1, which no call takes: where nothing forbids it, nothing happens either.
  static let source = """
    #define _GNU_SOURCE
    #include <dirent.h>
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <sched.h>
    #include <signal.h>
    #include <stdarg.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/ioctl.h>
    #include <sys/prctl.h>
    #include <sys/socket.h>
    #include <sys/stat.h>
    #include <sys/syscall.h>
    #include <sys/wait.h>
    #include <unistd.h>

    static void tell(const char *what, int result) { dprintf(2, "intruder %s %d\\n", what, result); }
    static void tell_error(const char *what, long result) { tell(what, result < 0 ? errno : 0); }

    static void tell_end(const char *what, long number, long first) {
      pid_t child = fork();
      if (child == 0) {
        syscall(number, first, -1L, -1L, -1L, -1L, -1L);
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      tell(what, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }

    static void tell_threads(const char *what) {
      int count = 0;
      DIR *tasks = opendir("/proc/self/task");
      for (struct dirent *entry; tasks && (entry = readdir(tasks));) count += entry->d_name[0] != '.';
      if (tasks) closedir(tasks);
      tell(what, count);
    }

    static void intrude(void) {
      static int is_in;
      if (is_in++) return;
      tell("no-new-privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
      tell("dumpable", prctl(PR_GET_DUMPABLE));
      tell_error("read-secret", open(getenv("SECRET"), O_RDONLY));
      tell_error("write-secret", open(getenv("SECRET"), O_WRONLY));
      char path[4096];
      snprintf(path, sizeof path, "%s.new", getenv("SECRET"));
      tell_error("make-file", open(path, O_WRONLY | O_CREAT, 0600));
      tell_error("make-directory", mkdir(path, 0700));
      tell_error("remove-secret", unlink(getenv("SECRET")));
      snprintf(path, sizeof path, "/proc/%d/environ", getppid());
      tell_error("read-parent", open(path, O_RDONLY));
      tell_error("read-hosts", open("/etc/hosts", O_RDONLY));
      tell_error("packet-socket", socket(AF_PACKET, SOCK_RAW, 0));
      tell_error("cipher-socket", socket(AF_ALG, SOCK_SEQPACKET, 0));
      tell_error("type", ioctl(0, TIOCSTI, "x"));
      tell_error("io-uring", syscall(SYS_io_uring_setup, -1L, -1L));
      tell_error("key", syscall(SYS_keyctl, -1L, -1L, -1L, -1L, -1L));
      CALLS
      tell_end("namespace", SYS_clone, CLONE_NEWUSER | SIGCHLD);
    }

    int linkat(int a, const char *b, int c, const char *d, int e) {
      intrude();
      return ((int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat"))(a, b, c, d, e);
    }

    long syscall(long number, ...) {
      va_list list;
      long a[6];
      va_start(list, number);
      for (int index = 0; index < 6; index++) a[index] = va_arg(list, long);
      va_end(list);
      if (number == SYS_landlock_restrict_self) tell_threads("threads");
      return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    """.replacing(
      "CALLS", with: fatalCalls.map { #"tell_end("\#($0)", SYS_\#($0), -1L);"# }.joined(separator: "\n"))
}
