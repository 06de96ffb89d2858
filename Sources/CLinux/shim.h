// Functions of Linux and glibc that Swift's Glibc module lacks.

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

// prctl(2) is variadic.
static inline int prctl_set_dumpable(int value) { return prctl(PR_SET_DUMPABLE, value, 0, 0, 0); }
// Programs that are executed from now on get no more rights than this one has.
static inline int prctl_set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

// Keeps this thread, and those that it starts, from interrupting others when they wake up: SCHED_BATCH of sched(7). Keeps an unusual policy.
static inline void schedule_as_batch(void) {
  const struct sched_param priority = {0};
  if (sched_getscheduler(0) == SCHED_OTHER) (void)sched_setscheduler(0, SCHED_BATCH, &priority);
}

// Takes all capabilities(7) but `kept`, one bit each, from this thread and those that it starts.
static inline int keep_capabilities(uint64_t kept) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct halves[2] = {{0}};
  if (syscall(SYS_capget, &header, halves) != 0) return -1;
  for (int half = 0; half < 2; half++) {
    const uint32_t bits = (uint32_t)(kept >> (32 * half));
    halves[half].effective &= bits;
    halves[half].permitted &= bits;
    halves[half].inheritable &= bits;
  }
  return (int)syscall(SYS_capset, &header, halves);
}

// landlock(7), for which glibc has no functions. The structures are those of Linux 6.12 (version 6). Older kernels accept them if the fields
// that they do not know are zero. The headers of the build may be older still.
struct landlock_rights {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};

struct landlock_place {
  uint64_t rights;
  int32_t path;
} __attribute__((packed));

struct landlock_port {
  uint64_t rights;
  uint64_t port;
};

// The kernel's version of Landlock, from 1 on, or -1 if it has none (ENOSYS) or it is switched off (EOPNOTSUPP).
static inline int landlock_version(void) { return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1U); }

// Returns a descriptor of a set of rules, which forbids those `rights` that no rule allows.
static inline int landlock_make_rules(const struct landlock_rights *rights) {
  return (int)syscall(SYS_landlock_create_ruleset, rights, sizeof *rights, 0U);
}

// Allows `rights` to a file, or to everything below a directory (LANDLOCK_RULE_PATH_BENEATH).
static inline int landlock_allow(int rules, int path, uint64_t rights) {
  const struct landlock_place place = {rights, path};
  return (int)syscall(SYS_landlock_add_rule, rules, 1, &place, 0U);
}

// Allows `rights` to a TCP port (LANDLOCK_RULE_NET_PORT, from version 4 on).
static inline int landlock_allow_port(int rules, uint64_t port, uint64_t rights) {
  const struct landlock_port rule = {rights, port};
  return (int)syscall(SYS_landlock_add_rule, rules, 2, &rule, 0U);
}

// Restricts this thread, and those that it starts from now on, for good.
static inline int landlock_restrict(int rules) { return (int)syscall(SYS_landlock_restrict_self, rules, 0U); }

// The architecture whose system calls this process makes, as seccomp(2) names it.
#if defined(__x86_64__)
static const uint32_t audit_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const uint32_t audit_architecture = AUDIT_ARCH_AARCH64;
#endif

// Makes `program` judge each system call of all threads, for good (seccomp(2)). Leaves out the slow protections against side channels of the
// processor, which are for programs that run strangers' code.
static inline int enforce_call_filter(const struct sock_fprog *program) {
  const unsigned long flags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  long status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
  // Some kernels, such as gVisor, do not know the second flag.
  if (status != 0 && errno == EINVAL) status = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, program);
  return status == 0 ? 0 : -1;
}

// Makes everything written to the file system of `file` durable: syncfs(2).
static inline int sync_file_system(int file) { return (int)syscall(SYS_syncfs, file); }

// Whether syncfs(2) reports when something could not be written, as it does since Linux 5.8.
static inline bool file_system_sync_is_reliable(void) {
  struct utsname names;
  int major = 0, minor = 0;
  return uname(&names) == 0 && sscanf(names.release, "%d.%d", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 8));
}

// Whether the file system of a path is memory (tmpfs(5)).
static inline bool is_in_memory(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 && (status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC);
}

// Starts to write a range of a file to the disk: sync_file_range(2) with SYNC_FILE_RANGE_WRITE.
static inline int start_writing(int file, int64_t offset, int64_t count) {
  return (int)syscall(SYS_sync_file_range, file, offset, count, 2U);
}

// Does the same and waits for it, but does not write the metadata that is needed to find the range after a power cut.
static inline int finish_writing(int file, int64_t offset, int64_t count) {
  return (int)syscall(SYS_sync_file_range, file, offset, count, 7U);
}

// Sets only the time of a file's last access, to now. Swift does not import the special times of futimens(2).
static inline int note_access(int file) {
  const struct timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  return futimens(file, times);
}

// Renames within a directory, unless the new name is taken (EEXIST): renameat2(2), whose flags Swift does not import.
static inline int rename_if_free(int directory, const char *old, const char *name) {
  return (int)syscall(SYS_renameat2, directory, old, directory, name, 1U);
}

// Returns the local port of a TCP connection, or -1 if it is not one. Sets `remote` to its other end, a sockaddr_in for IPv4.
static inline int socket_ends(int socket, struct sockaddr_in6 *remote) {
  struct sockaddr_in6 local = {0};
  socklen_t size = sizeof local, remote_size = sizeof *remote;
  if (getsockname(socket, (struct sockaddr *)&local, &size) != 0 || getpeername(socket, (struct sockaddr *)remote, &remote_size) != 0) return -1;
  // The port is at the same place in sockaddr_in.
  return local.sin6_family == AF_INET || local.sin6_family == AF_INET6 ? ntohs(local.sin6_port) : -1;
}

// How many bytes were read from a TCP connection: those received less those that still wait. -1 if the kernel does not say. Bytes that arrive
// between the two calls make the result too small.
static inline int64_t socket_bytes_read(int socket) {
  // tcpi_bytes_received of Linux's tcp_info. glibc's structure ends before it.
  enum { place = 128 };
  unsigned char info[place + sizeof(uint64_t)];
  socklen_t size = sizeof info;
  int waiting = 0;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) != 0 || size < sizeof info || ioctl(socket, FIONREAD, &waiting) != 0) return -1;
  uint64_t received;
  memcpy(&received, info + place, sizeof received);
  return (int64_t)received - waiting;
}
