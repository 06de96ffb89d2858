// The limit of an object store: one thread of libcurl PUTs files that are already there, under their SHA-256, and does nothing else. Started by
// `s3`.
//
//     cc -O2 -o s3-limit s3-limit.c -lcurl -lcrypto && ./s3-limit URL KEY:SECRET CONNECTIONS < FILES
//
// URL is the one of the bucket and the prefix, without a slash at its end. The requests have the fields that push-enricher sends. libcurl signs them.
// Exits with status 1 if a file failed.
#include <curl/curl.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 64 };

struct upload {
  CURL *easy;
  struct curl_slist *fields;
  char *bytes;
  size_t size, sent;
};

static const char *place, *login;
static long failed;

static size_t give(char *buffer, size_t one, size_t count, void *context) {
  struct upload *upload = context;
  (void)one;
  const size_t rest = upload->size - upload->sent, length = rest < count ? rest : count;
  memcpy(buffer, upload->bytes + upload->sent, length);
  upload->sent += length;
  return length;
}

static size_t drop(char *bytes, size_t one, size_t count, void *context) {
  (void)bytes, (void)one, (void)context;
  return count;
}

// libcurl rewinds if a kept connection turns out to be dead.
static int rewind_to(void *context, curl_off_t offset, int origin) {
  (void)origin;
  ((struct upload *)context)->sent = (size_t)offset;
  return CURL_SEEKFUNC_OK;
}

static int begin(CURLM *multi, struct upload *upload) {
  char path[4096], url[4096], field[256], hex[EVP_MAX_MD_SIZE * 2 + 1];
  if (!fgets(path, sizeof path, stdin)) return 0;
  path[strcspn(path, "\n")] = 0;
  struct stat status;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) {
    perror(path);
    exit(70);
  }
  upload->size = (size_t)status.st_size;
  upload->sent = 0;
  upload->bytes = mmap(NULL, upload->size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (upload->bytes == MAP_FAILED) {
    perror(path);
    exit(70);
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_Digest(upload->bytes, upload->size, digest, &length, EVP_sha256(), NULL);
  for (unsigned index = 0; index < length; index++) sprintf(hex + 2 * index, "%02x", digest[index]);
  const char *suffix = strrchr(path, '.');
  snprintf(url, sizeof url, "%s/%s%s", place, hex, suffix);
  snprintf(field, sizeof field, "x-amz-content-sha256: %s", hex);
  curl_slist_free_all(upload->fields);
  upload->fields = curl_slist_append(NULL, field);
  upload->fields = curl_slist_append(upload->fields, strcmp(suffix, ".mp4") ? "Content-Type: image/jpeg" : "Content-Type: video/mp4");
  upload->fields = curl_slist_append(upload->fields, "Cache-Control: public, max-age=31536000, immutable");
  upload->fields = curl_slist_append(upload->fields, "Content-Disposition: inline");
  upload->fields = curl_slist_append(upload->fields, "If-None-Match: *");
  curl_easy_setopt(upload->easy, CURLOPT_HTTPHEADER, upload->fields);
  curl_easy_setopt(upload->easy, CURLOPT_URL, url);
  curl_easy_setopt(upload->easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)upload->size);
  curl_multi_add_handle(multi, upload->easy);
  return 1;
}

int main(int count, char **words) {
  const int connections = count == 4 ? atoi(words[3]) : 0;
  if (connections < 1 || connections > MOST_CONNECTIONS) {
    fprintf(stderr, "usage: s3-limit URL KEY:SECRET CONNECTIONS, with 1 to %d CONNECTIONS\n", MOST_CONNECTIONS);
    return 64;
  }
  place = words[1];
  login = words[2];
  curl_global_init(CURL_GLOBAL_ALL);
  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)connections);
  static struct upload uploads[MOST_CONNECTIONS];
  int running = 0;
  for (int index = 0; index < connections; index++) {
    struct upload *upload = &uploads[index];
    upload->easy = curl_easy_init();
    curl_easy_setopt(upload->easy, CURLOPT_PRIVATE, upload);
    curl_easy_setopt(upload->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(upload->easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(upload->easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(upload->easy, CURLOPT_READFUNCTION, give);
    curl_easy_setopt(upload->easy, CURLOPT_READDATA, upload);
    curl_easy_setopt(upload->easy, CURLOPT_SEEKFUNCTION, rewind_to);
    curl_easy_setopt(upload->easy, CURLOPT_SEEKDATA, upload);
    curl_easy_setopt(upload->easy, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(upload->easy, CURLOPT_UPLOAD_BUFFERSIZE, 65536L);
    curl_easy_setopt(upload->easy, CURLOPT_AWS_SIGV4, "aws:amz:us-east-1:s3");
    curl_easy_setopt(upload->easy, CURLOPT_USERPWD, login);
    running += begin(multi, upload);
  }
  while (running > 0) {
    int left, active;
    curl_multi_perform(multi, &active);
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
      struct upload *upload;
      if (message->data.result != CURLE_OK) {
        fprintf(stderr, "s3-limit: %s\n", curl_easy_strerror(message->data.result));
        failed++;
      }
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&upload);
      curl_multi_remove_handle(multi, upload->easy);
      munmap(upload->bytes, upload->size);
      running += begin(multi, upload) - 1;
    }
    if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return failed ? 1 : 0;
}
