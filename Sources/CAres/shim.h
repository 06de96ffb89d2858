#include <ares.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

// c-ares sets no options on sockets that its caller opens. These are the options that it sets itself. Swift does not see the constants.
static inline ares_socket_t cares_socket(int family, int type, int protocol) {
  const ares_socket_t made = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
  const int on = 1;
  if (made >= 0 && type == SOCK_STREAM) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}
