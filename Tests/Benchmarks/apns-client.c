// Sends pushes as fast as nghttp2 can, on one connection: the measure for `apns`.
// Usage: apns-client PORT COUNT STREAMS AUTHORIZATION. Prints "SECONDS CPU-SECONDS ACCEPTED".
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int todo, open_streams, accepted, most, number;
static char body[4096];
static nghttp2_session *session;
static const char *authorization;

static ssize_t read_body(nghttp2_session *s, int32_t id, uint8_t *to, size_t room, uint32_t *flags, nghttp2_data_source *source, void *user) {
  (void)s, (void)id, (void)user;
  char *from = source->ptr;
  size_t left = (size_t)(body + sizeof body - from), count = room < left ? room : left;
  memcpy(to, from, count);
  source->ptr = from + count;
  if (count == left) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return (ssize_t)count;
}

static nghttp2_nv field(const char *name, const char *value, int flags) {
  return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), (uint8_t)flags};
}

static void submit(void) {
  uint32_t limit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  while (todo > 0 && open_streams < most && (uint32_t)open_streams < limit) {
    char path[100], id[40];
    number++;
    snprintf(path, sizeof path, "/3/device/%064x", number);
    snprintf(id, sizeof id, "00000000-0000-4000-8000-%012x", number);
    const nghttp2_nv fields[] = {
        field(":method", "POST", 0), field(":scheme", "https", 0), field(":path", path, NGHTTP2_NV_FLAG_NO_INDEX),
        field(":authority", "127.0.0.1", 0), field("authorization", authorization, 0), field("apns-topic", "com.example", 0),
        field("apns-push-type", "alert", 0), field("apns-id", id, NGHTTP2_NV_FLAG_NO_INDEX)};
    nghttp2_data_provider provider = {.source.ptr = body, .read_callback = read_body};
    if (nghttp2_submit_request(session, NULL, fields, 8, &provider, NULL) < 0) exit(1);
    todo--, open_streams++;
  }
}

static int on_header(nghttp2_session *s, const nghttp2_frame *frame, const uint8_t *name, size_t count, const uint8_t *value, size_t length, uint8_t flags, void *user) {
  (void)s, (void)frame, (void)flags, (void)user;
  if (count == 7 && !memcmp(name, ":status", 7) && length == 3 && !memcmp(value, "200", 3)) accepted++;
  return 0;
}

static int on_close(nghttp2_session *s, int32_t id, uint32_t code, void *user) {
  (void)s, (void)id, (void)code, (void)user;
  open_streams--;
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 5) return 64;
  todo = atoi(argv[2]), most = atoi(argv[3]), authorization = argv[4];
  memset(body, 'x', sizeof body);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\2h2", 3);
  SSL *tls = SSL_new(context);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) || !SSL_set_fd(tls, fd) || SSL_connect(tls) != 1) return 69;
  nghttp2_session_callbacks *callbacks;
  nghttp2_option *option;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
  nghttp2_option_new(&option);
  nghttp2_option_set_peer_max_concurrent_streams(option, 1);
  nghttp2_session_client_new2(&session, callbacks, NULL, option);
  nghttp2_submit_settings(session, 0, NULL, 0);
  static uint8_t in[16384], out[65536];
  // Blocking: whatever the windows allow is written, and then answers are awaited.
  while (todo > 0 || open_streams > 0) {
    submit();
    size_t filled = 0;
    const uint8_t *frame;
    ssize_t count;
    while ((count = nghttp2_session_mem_send(session, &frame)) > 0) {
      if (filled + (size_t)count > 16384 && filled) {
        if (SSL_write(tls, out, (int)filled) <= 0) return 74;
        filled = 0;
      }
      memcpy(out + filled, frame, (size_t)count);
      filled += (size_t)count;
    }
    if (filled && SSL_write(tls, out, (int)filled) <= 0) return 74;
    int read = SSL_read(tls, in, sizeof in);
    if (read <= 0 || nghttp2_session_mem_recv(session, in, (size_t)read) < 0) return 74;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%f %f %d\n", (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9,
         (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6, accepted);
  return 0;
}
