import TestSupport

@testable import Confining

/// An attacker who took over the program while it stores a file, and reports how far it gets.
enum Intruder {
  /// Parses its lines: the name of each attempt, and the error that it got.
  static func findings(in standardError: String) -> [String: String] {
    let words = standardError.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
    return Dictionary(
      words.filter { $0.first == "intruder" && $0.count == 3 }.map { ($0[1], $0[2]) },
      uniquingKeysWith: { $1 })
  }

  /// The calls that are allowed or depend on their arguments. All others are tried by number.
  private static let known =
    AllowedCalls.rules(for: [.listening]).map { "\($0.number)" }
    // uretprobe and uprobe of x86_64: the kernel makes these calls itself, unfiltered.
    + ["335", "336"]

  /// No call accepts an argument of -1, so a call that is not forbidden has no effect either.
  static let source = """
    #define _GNU_SOURCE
    #include <arpa/inet.h>
    #include <dirent.h>
    #include <dlfcn.h>
    #include <errno.h>
    #include <fcntl.h>
    #include <linux/capability.h>
    #include <sched.h>
    #include <signal.h>
    #include <stdarg.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/ioctl.h>
    #include <sys/mman.h>
    #include <sys/prctl.h>
    #include <sys/resource.h>
    #include <sys/socket.h>
    #include <sys/stat.h>
    #include <sys/syscall.h>
    #include <unistd.h>

    static void tell(const char *what, unsigned long result) { dprintf(2, "intruder %s %lu\\n", what, result); }
    static void tell_error(const char *what, long result) { tell(what, result < 0 ? errno : 0); }

    static long map(int protection, int flags, int file) {
      return mmap(0, 4096, protection, MAP_PRIVATE | flags, file, 0) == MAP_FAILED ? -1 : 0;
    }

    static void tell_threads(const char *what) {
      int count = 0;
      DIR *tasks = opendir("/proc/self/task");
      for (struct dirent *entry; tasks && (entry = readdir(tasks));) count += entry->d_name[0] != '.';
      if (tasks) closedir(tasks);
      tell(what, count);
    }

    static void tell_capabilities(const char *what) {
      struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
      struct __user_cap_data_struct halves[2] = {0};
      syscall(SYS_capget, &header, halves);
      tell(what, halves[0].permitted | (unsigned long)halves[1].permitted << 32);
    }

    static void tell_calls(const char *what) {
      static const int known[] = {KNOWN};
      for (int number = 0; number < 1024; number++) {
        int is_known = 0;
        for (unsigned index = 0; index < sizeof known / sizeof *known; index++) is_known |= known[index] == number;
        if (is_known || (syscall(number, -1L, -1L, -1L, -1L, -1L, -1L) < 0 && errno == ENOSYS)) continue;
        tell(what, number);
        return;
      }
      tell(what, 0);
    }

    static void intrude(void) {
      static int is_in;
      if (is_in++) return;
      const char *secret = getenv("SECRET");
      char beside[4096], environment_of_parent[64];
      snprintf(beside, sizeof beside, "%s.new", secret);
      snprintf(environment_of_parent, sizeof environment_of_parent, "/proc/%d/environ", getppid());
      int hosts = open("/etc/hosts", O_RDONLY), tcp = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), pair[2];
      struct sockaddr_in other = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr = {htonl(INADDR_LOOPBACK)}};
      struct iovec part = {"a", 1};
      struct msghdr message = {.msg_name = &other, .msg_namelen = sizeof other, .msg_iov = &part, .msg_iovlen = 1};
      struct flock lock = {.l_type = F_WRLCK};
      void *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      tell("no-new-privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
      tell("is-dumpable", prctl(PR_GET_DUMPABLE));
      tell_capabilities("capabilities");
      ATTEMPTS
      int own = socket(AF_INET, SOCK_STREAM, 0);
      tell_error("bind", bind(own, (struct sockaddr *)&other, sizeof other));
      tell_error("listen", syscall(SYS_listen, -1L, -1L));
      tell_calls("every-other-call");
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
      static int is_told;
      if (number == SYS_landlock_restrict_self && !is_told++) tell_threads("threads");
      return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    """
    .replacing("KNOWN", with: known.joined(separator: ","))
    .replacing(
      "ATTEMPTS",
      with: Attempt.all.map { #"tell_error("\#($0.name)", \#($0.code));"# }.joined(separator: "\n"))
}
