#include <ares.h>
#include <sys/socket.h>

// The constants are no part of what Swift sees here. c-ares sets no options on sockets that others open for it.
static inline ares_socket_t cares_socket(int family, int type, int protocol) {
  return socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
}
