#include <sys/syscall.h>
#include <unistd.h>

// syncfs(2), which Swift's Glibc module does not have.
static inline int sync_file_system(int file) { return (int)syscall(SYS_syncfs, file); }
