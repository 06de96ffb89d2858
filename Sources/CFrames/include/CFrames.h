#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Tells what libcurl 7.88 does not: whether a stream ended by END_STREAM (RFC 9113 section 5.1), and whether the server broke the rules. To
// libcurl, a body is whole too if the server resets the stream with NO_ERROR, or if nghttp2 ends the connection.
//
// The dynamic linker finds nghttp2_session_callbacks_set_on_frame_recv_callback in the program first (ld.so(8)). It wraps libcurl's callback.

// To be called once, before libcurl makes a connection. Returns false if libcurl calls another nghttp2 than this one can see: nothing is told then.
// Both functions get libcurl's handle of the stream, on the thread that drives it.
// - received: DATA has come with `count` bytes of a body, and END_STREAM if `is_last`.
// - violated: the server has broken the rules, for this stream or on its whole connection. `code` (RFC 9113 section 7) is what it is told.
bool frames_watch(void (*received)(void *easy, size_t count, bool is_last), void (*violated)(void *easy, uint32_t code, bool is_connection));
