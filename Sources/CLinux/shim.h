// What Linux and glibc have and Swift's Glibc module has not.

#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Starts to write a range of a file to the disk and does not wait for it: sync_file_range(2) with SYNC_FILE_RANGE_WRITE.
static inline int start_writing(int file, int64_t offset, int64_t count) {
  return (int)syscall(SYS_sync_file_range, file, offset, count, 2U);
}

// Bytes that TCP has received on a connection since it was opened, or -1: what libcurl's own counters leave out (chunk
// extensions, for one) is in it. glibc's struct tcp_info ends before tcpi_bytes_received and the kernel's header collides
// with glibc's, hence the offset, which is kernel ABI since 4.1: 8 bytes, 24 of 32 bits, 3 of 64 bits come before it.
static inline int64_t tcp_bytes_received(int socket) {
  uint64_t info[17];
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) != 0 || size < sizeof info) return -1;
  return (int64_t)info[16];
}
