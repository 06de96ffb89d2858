// What Linux and glibc have and Swift's Glibc module has not.

#include <malloc.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// PR_SET_DUMPABLE of prctl(2), which is variadic.
static inline int prctl_set_dumpable(int value) { return prctl(PR_SET_DUMPABLE, value, 0, 0, 0); }

// Starts to write a range of a file to the disk and does not wait for it: sync_file_range(2) with SYNC_FILE_RANGE_WRITE.
static inline int start_writing(int file, int64_t offset, int64_t count) {
  return (int)syscall(SYS_sync_file_range, file, offset, count, 2U);
}

// Writes a range of a file to the disk and waits for it, but not for what it takes to find it after a power cut.
static inline int finish_writing(int file, int64_t offset, int64_t count) {
  return (int)syscall(SYS_sync_file_range, file, offset, count, 7U);
}
