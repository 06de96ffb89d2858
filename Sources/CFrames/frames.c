#define _GNU_SOURCE
#include "CFrames.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

// From nghttp2.h, which is not needed for anything else. Its ABI has been stable since 1.0.
typedef struct nghttp2_session session;
typedef struct nghttp2_session_callbacks callbacks;
typedef struct {
  size_t length;
  int32_t stream;
  uint8_t type, flags, reserved;
  union {
    size_t padding;
    uint32_t reset_code;
    struct {
      int32_t last_stream;
      uint32_t code;
    } goaway;
  };
} frame;
typedef int on_frame(session *, const frame *, void *user);
typedef int on_invalid_field(
    session *, const frame *, const uint8_t *name, size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags, void *user);

enum type { DATA = 0, HEADERS = 1, RST_STREAM = 3, GOAWAY = 7 };
enum { END_STREAM = 1, MALFORMED = -521 /* NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE */ };
enum code { NO_ERROR = 0, PROTOCOL_ERROR = 1, FLOW_CONTROL_ERROR = 3, FRAME_SIZE_ERROR = 6, COMPRESSION_ERROR = 9 };

static struct {
  void (*received)(void *easy, size_t count, bool is_last);
  void (*violated)(void *easy, uint32_t code, bool is_connection);
} watcher;
static struct {
  void (*on_receive)(callbacks *, on_frame *);
  void (*on_send)(callbacks *, on_frame *);
  void (*on_invalid_field)(callbacks *, on_invalid_field *);
  void *(*stream_user)(session *, int32_t stream);
  uint32_t (*next_stream)(session *);
} nghttp2;
// libcurl's own callback. It is always the same one.
static _Atomic(on_frame *) next_on_receive;

static int received(session *session, const frame *frame, void *user) {
  if (frame->type == DATA || frame->type == HEADERS) {
    // libcurl's handle, while the stream is open.
    void *easy = nghttp2.stream_user(session, frame->stream);
    const size_t count = frame->type == DATA ? frame->length - frame->padding : 0;
    if (easy) watcher.received(easy, count, frame->flags & END_STREAM);
  }
  on_frame *next = atomic_load_explicit(&next_on_receive, memory_order_relaxed);
  return next ? next(session, frame, user) : 0;
}

static void report(session *session, int32_t stream, uint32_t code, bool is_connection) {
  void *easy = nghttp2.stream_user(session, stream);
  if (easy) watcher.violated(easy, code, is_connection);
}

// Called with the frames that we send. They tell the server of its errors, which nghttp2 finds.
static int sent(session *session, const frame *frame, void *user) {
  (void)user;
  if (frame->type == RST_STREAM) {
    switch (frame->reset_code) {
      case PROTOCOL_ERROR:
      case FLOW_CONTROL_ERROR:
      case FRAME_SIZE_ERROR:
      case COMPRESSION_ERROR: report(session, frame->stream, frame->reset_code, false);
    }
  } else if (frame->type == GOAWAY && frame->goaway.code != NO_ERROR) {
    const uint32_t end = nghttp2.next_stream(session);
    for (uint32_t stream = 1; stream < end; stream += 2) report(session, (int32_t)stream, frame->goaway.code, true);
  }
  return 0;
}

static bool has_line_end(const uint8_t *text, size_t size) {
  return memchr(text, '\r', size) || memchr(text, '\n', size) || memchr(text, 0, size);
}

// nghttp2 drops bad fields, which is harmless. But CR, LF and NUL attack programs that pass fields on as HTTP/1.1 (RFC 9113 section 8.2.1).
static int invalid_field(
    session *session, const frame *frame, const uint8_t *name, size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
    void *user) {
  (void)session, (void)frame, (void)flags, (void)user;
  return has_line_end(name, name_size) || has_line_end(value, value_size) ? MALFORMED : 0;
}

// Whether this program is the caller, and not libcurl. The sessions of this program are not watched.
static bool is_own(void *caller) {
  Dl_info there, here;
  return dladdr(caller, &there) && dladdr((void *)received, &here) && there.dli_fbase == here.dli_fbase;
}

__attribute__((visibility("default"))) void nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks *callbacks, on_frame *function) {
  if (!nghttp2.on_receive) nghttp2.on_receive = (void (*)(struct nghttp2_session_callbacks *, on_frame *))dlsym(RTLD_NEXT, __func__);
  if (!watcher.received || is_own(__builtin_return_address(0))) {
    nghttp2.on_receive(callbacks, function);
    return;
  }
  atomic_store_explicit(&next_on_receive, function, memory_order_relaxed);
  nghttp2.on_receive(callbacks, received);
  nghttp2.on_send(callbacks, sent);
  nghttp2.on_invalid_field(callbacks, invalid_field);
}

bool frames_watch(void (*on_receive)(void *, size_t, bool), void (*on_violation)(void *, uint32_t, bool)) {
  void *mine = (void *)nghttp2_session_callbacks_set_on_frame_recv_callback;
  void *places[] = {
      dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_frame_recv_callback"),
      dlsym(RTLD_DEFAULT, "nghttp2_session_callbacks_set_on_frame_send_callback"),
      dlsym(RTLD_DEFAULT, "nghttp2_session_callbacks_set_on_invalid_header_callback"),
      dlsym(RTLD_DEFAULT, "nghttp2_session_get_stream_user_data"),
      dlsym(RTLD_DEFAULT, "nghttp2_session_get_next_stream_id"),
  };
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (!places[i]) return false;
  if (dlsym(RTLD_DEFAULT, "nghttp2_session_callbacks_set_on_frame_recv_callback") != mine) return false;
  memcpy(&nghttp2, places, sizeof nghttp2);
  watcher.received = on_receive;
  watcher.violated = on_violation;
  return true;
}
