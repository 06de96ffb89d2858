// The clients of a door in the benchmark `door`. On each of several connections, a client sends a line of stdin as soon as it has the answer to the
// line before. Prints how many answers were 200 and enriched.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct client {
  int length;
  char answer[16384];
};

static int next(int connection) {
  static char *line;
  static size_t capacity;
  ssize_t length = getline(&line, &capacity, stdin);
  if (length <= 0) return 0;
  char request[8192];
  int count = snprintf(request, sizeof request,
                       "POST /v1/enrich HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                       "apns-push-type: alert\r\nContent-Length: %zd\r\n\r\n%s",
                       length, line);
  return count < (int)sizeof request && write(connection, request, count) == count;
}

// The length of the whole answer; 0 if it is not known yet.
static int whole(struct client *client) {
  client->answer[client->length] = 0;
  char *end = strstr(client->answer, "\r\n\r\n"), *field = strstr(client->answer, "Content-Length: ");
  return end && field ? (int)(end - client->answer) + 4 + atoi(field + 16) : 0;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  int count = atoi(argv[2]), open = 0, enriched = 0;
  struct pollfd *polled = calloc(count, sizeof *polled);
  struct client *clients = calloc(count, sizeof *clients);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  for (int index = 0; index < count; index++) {
    int connection = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) return 1;
    polled[index] = (struct pollfd){.fd = next(connection) ? connection : -1, .events = POLLIN};
    open += polled[index].fd >= 0;
  }
  while (open > 0 && poll(polled, count, 60000) > 0) {
    for (int index = 0; index < count; index++) {
      if (polled[index].fd < 0 || !polled[index].revents) continue;
      struct client *client = &clients[index];
      ssize_t got = read(polled[index].fd, client->answer + client->length, sizeof client->answer - 1 - client->length);
      if (got > 0) client->length += got;
      int length = whole(client);
      if (got > 0 && (length == 0 || client->length < length)) continue;
      if (got > 0) enriched += strncmp(client->answer, "HTTP/1.1 200 ", 13) == 0 && strstr(client->answer, "enrich-outcome: enriched") != 0;
      client->length = 0;
      if (got <= 0 || !next(polled[index].fd)) {
        polled[index].fd = -1;
        open--;
      }
    }
  }
  printf("%d\n", enriched);
  return open > 0;
}
