#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift does not import: one function per type.

static inline CURLcode curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_data_function(CURL *easy, CURLoption option, curl_write_callback function) {
  return curl_easy_setopt(easy, option, function);
}

static inline CURLcode curl_set_progress_function(CURL *easy, curl_xferinfo_callback function) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
}

static inline CURLcode curl_set_open_socket_function(CURL *easy, curl_opensocket_callback function) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode curl_set_request_function(CURL *easy, curl_prereq_callback function) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode curl_set_debug_function(CURL *easy, curl_debug_callback function) {
  return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
}

static inline CURLcode curl_set_ssl_context_function(CURL *easy, curl_ssl_ctx_callback function) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
}

static inline CURLcode curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode curl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode curl_get_socket(CURL *easy, curl_socket_t *value) {
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

// Where libcurl has the address itself: behind this `sockaddr` of 16 bytes it has room for any, which a copy would leave behind.
static inline const struct sockaddr *curl_wanted_address(const struct curl_sockaddr *wanted) { return &wanted->addr; }

// OpenSSL's `SSL` of the connection that a transfer has now; NULL where it has none, or one without TLS.
static inline void *curl_get_tls(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
  return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

// Has a transfer keep the addresses of hosts (libcurl-share(3)) to itself. To be freed after it, with curl_share_cleanup; NULL for want of memory.
static inline CURLSH *curl_own_addresses(CURL *easy) {
  CURLSH *addresses = curl_share_init();
  if (addresses && curl_share_setopt(addresses, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) == CURLSHE_OK &&
      curl_easy_setopt(easy, CURLOPT_SHARE, addresses) == CURLE_OK)
    return addresses;
  curl_share_cleanup(addresses);
  return NULL;
}

static inline CURLMcode curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode curl_multi_set_socket_function(CURLM *multi, curl_socket_callback function, void *data) {
  const CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, data) : code;
}

static inline CURLMcode curl_multi_set_timer_function(CURLM *multi, curl_multi_timer_callback function, void *data) {
  const CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERDATA, data) : code;
}

/* curl_multi_socket_all(3): what curl_multi_perform(3) does, and tells of new sockets, which that does not. Deprecated for what it costs. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline CURLMcode curl_multi_drive_all(CURLM *multi, int *running) { return curl_multi_socket_all(multi, running); }
#pragma clang diagnostic pop

// The result of a finished transfer stands in a union, which Swift imports as opaque bytes only in part.
static inline CURLcode curl_message_result(const CURLMsg *message) { return message->data.result; }

// The certificate authorities that libcurl was built to use. CURLVERSION_NOW is a macro of an enumerator.
static inline const char *curl_default_certificates(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }
static inline const char *curl_default_certificate_directory(void) { return curl_version_info(CURLVERSION_NOW)->capath; }
