#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Tells what libcurl 7.88 knows of HTTP/2 and does not tell: whether a stream has ended by END_STREAM (RFC 9113 section 5.1), and whether the
// server has broken the rules. To libcurl, a body is whole too if the server resets the stream with NO_ERROR, or if nghttp2 ends the connection.
//
// libcurl hands nghttp2 its callbacks by functions that the dynamic linker finds in the program first (ld.so(8)). The program has one of them,
// nghttp2_session_callbacks_set_on_frame_recv_callback: it hands on libcurl's callback, and adds its own around it.

// `easy` is the libcurl handle of the stream. All three run on the thread that drives it.
struct frames_watcher {
  // DATA has come with `count` bytes of a body, and END_STREAM if `is_last`.
  void (*received)(void *easy, size_t count, bool is_last);
  // What the server sent for this stream, or on its connection if `is_connection`, is not HTTP/2. `code` is the error code of RFC 9113 section 7
  // that the server is told.
  void (*violated)(void *easy, uint32_t code, bool is_connection);
};

// To be called once, before libcurl makes a connection. `watcher` has to stay.
//
// Returns false if libcurl calls another nghttp2 than this one can see. Nothing is told then.
bool frames_watch(const struct frames_watcher *watcher);
