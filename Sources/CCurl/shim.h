#include <curl/curl.h>

// curl_easy_setopt and similar functions are variadic, which Swift does not import. So there is one function per type.
static inline CURLcode curl_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode curl_set_string(CURL *easy, CURLoption option, const char *value) { return curl_easy_setopt(easy, option, value); }
static inline CURLcode curl_set_pointer(CURL *easy, CURLoption option, void *value) { return curl_easy_setopt(easy, option, value); }

// Sets every callback of a transfer. `owner` is the argument of each, and the private pointer of the handle.
static inline CURLcode curl_set_callbacks(
    CURL *easy, void *owner, curl_write_callback header, curl_write_callback body, curl_xferinfo_callback progress, curl_debug_callback wire,
    curl_opensocket_callback open, curl_prereq_callback request, curl_ssl_ctx_callback tls) {
  const struct {
    CURLoption place, callback;
    void *function;
  } rows[] = {
      {CURLOPT_HEADERDATA, CURLOPT_HEADERFUNCTION, (void *)header}, {CURLOPT_WRITEDATA, CURLOPT_WRITEFUNCTION, (void *)body},
      {CURLOPT_XFERINFODATA, CURLOPT_XFERINFOFUNCTION, (void *)progress}, {CURLOPT_DEBUGDATA, CURLOPT_DEBUGFUNCTION, (void *)wire},
      {CURLOPT_OPENSOCKETDATA, CURLOPT_OPENSOCKETFUNCTION, (void *)open}, {CURLOPT_PREREQDATA, CURLOPT_PREREQFUNCTION, (void *)request},
      {CURLOPT_SSL_CTX_DATA, CURLOPT_SSL_CTX_FUNCTION, (void *)tls},
  };
  CURLcode code = curl_easy_setopt(easy, CURLOPT_PRIVATE, owner);
  for (size_t i = 0; i < sizeof rows / sizeof *rows && code == CURLE_OK; i++) {
    code = curl_easy_setopt(easy, rows[i].place, owner);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, rows[i].callback, rows[i].function);
  }
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L) : code;
}

// Sets where the body of a request comes from.
static inline CURLcode curl_set_reading(CURL *easy, void *owner, curl_read_callback read, curl_seek_callback seek) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_READDATA, owner);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
  if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKDATA, owner);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek) : code;
}

static inline CURLcode curl_set_tls_callback(CURL *easy, curl_ssl_ctx_callback tls, void *argument) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, argument);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, tls) : code;
}

// Some values are read as a long, although they are of type curl_off_t.
_Static_assert(sizeof(long) == sizeof(curl_off_t), "values of curl_off_t do not fit into a long");

// Also reads curl_off_t, which is a long on the 64-bit Linux that this runs on.
static inline CURLcode curl_get_long(CURL *easy, CURLINFO info, long *value) { return curl_easy_getinfo(easy, info, value); }
static inline const char *curl_get_string(CURL *easy, CURLINFO info) {
  const char *value = NULL;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : NULL;
}
static inline CURLcode curl_get_socket(CURL *easy, curl_socket_t *value) { return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value); }

// The address in libcurl's own structure, which has room for any address behind the 16 bytes of `sockaddr`. A copy in Swift would cut it off.
static inline const struct sockaddr *curl_wanted_address(const struct curl_sockaddr *wanted) { return &wanted->addr; }

// OpenSSL's `SSL` of the current connection, or NULL without TLS.
static inline void *curl_get_tls(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
  return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

// Gives a transfer its own table of host addresses (libcurl-share(3)). Free it afterwards with curl_share_cleanup. NULL if memory is short.
static inline CURLSH *curl_own_addresses(CURL *easy) {
  CURLSH *addresses = curl_share_init();
  if (addresses && curl_share_setopt(addresses, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) == CURLSHE_OK &&
      curl_easy_setopt(easy, CURLOPT_SHARE, addresses) == CURLE_OK)
    return addresses;
  curl_share_cleanup(addresses);
  return NULL;
}

static inline CURLMcode curl_multi_set_long(CURLM *multi, CURLMoption option, long value) { return curl_multi_setopt(multi, option, value); }

static inline void curl_multi_set_callbacks(CURLM *multi, void *owner, curl_socket_callback socket, curl_multi_timer_callback timer) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
}

// curl_multi_socket_all(3) is deprecated because it is slow. But unlike curl_multi_perform(3), it reports new sockets.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline CURLMcode curl_multi_drive_all(CURLM *multi, int *running) { return curl_multi_socket_all(multi, running); }
#pragma clang diagnostic pop

// The result of a finished transfer is in a union, which Swift imports as opaque bytes.
static inline CURLcode curl_message_result(const CURLMsg *message) { return message->data.result; }

// Swift does not import CURLVERSION_NOW, a macro of an enumerator.
static inline const char *curl_default_certificates(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }
static inline const char *curl_default_certificate_directory(void) { return curl_version_info(CURLVERSION_NOW)->capath; }
