#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Reports what libcurl 7.88 does not: whether a stream ended with END_STREAM (RFC 9113 section 5.1), and whether the server broke the rules.
// libcurl also takes a body for whole if the server resets the stream with NO_ERROR, or if nghttp2 ends the connection.
//
// The dynamic linker finds nghttp2_session_callbacks_set_on_frame_recv_callback in the program first (ld.so(8)). It wraps libcurl's callback.

// Call it once, before libcurl makes a connection. Returns false, and reports nothing, if libcurl calls another nghttp2 than this one can see.
// Both functions get libcurl's handle of the stream, on the thread that drives it.
// - received: DATA has arrived with `count` bytes of a body, and with END_STREAM if `is_last`.
// - violated: the server broke the rules on this stream or on its whole connection. The server is sent `code` (RFC 9113 section 7).
bool frames_watch(void (*received)(void *easy, size_t count, bool is_last), void (*violated)(void *easy, uint32_t code, bool is_connection));
