/// Simulates kernels with fewer features than the one that runs the tests.
enum Kernel {
  /// `KERNEL` selects the kernel.
  static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <stdarg.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/syscall.h>
    static int is(const char *kernel) { return strcmp(getenv("KERNEL"), kernel) == 0; }
    static long fail(int code) { errno = code; return -1; }
    long syscall(long number, ...) {
      va_list list;
      long a[6];
      va_start(list, number);
      for (int index = 0; index < 6; index++) a[index] = va_arg(list, long);
      va_end(list);
      int is_version = number == SYS_landlock_create_ruleset && a[2] == 1;
      if (is("without-landlock") && number == SYS_landlock_create_ruleset) return fail(ENOSYS);
      if (is("landlock-switched-off") && number == SYS_landlock_create_ruleset) return fail(EOPNOTSUPP);
      if (is("landlock-1") && is_version) return 1;
      if (is("landlock-3") && is_version) return 3;
      if (is("landlock-4") && is_version) return 4;
      if (is("without-seccomp") && number == SYS_seccomp) return fail(ENOSYS);
      return ((long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"))(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    """
}
