// The bare limit: one thread of libcurl fetches, hashes, sniffs and links, and does nothing else. There are no address checks, limits,
// deadlines, queues or payloads. Started by `throughput`.
//
//     cc -O2 -o bare-limit bare-limit.c -lcurl -lcrypto -lmagic && ./bare-limit DIRECTORY SLOTS [durable] < URLS
//
// Fetches the URLs of stdin, one per line and SLOTS at once, into DIRECTORY. With `durable`, one syncfs(2) writes SLOTS files to the disk before
// they get their names, and the names are then written to the disk, too. Exits with status 1 if a file failed.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <magic.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The buffer of libcurl: 64 KB for each of 64 images, 512 KB for each of 8 videos. These were the fastest sizes.
enum { MOST_SLOTS = 64, HEAD = 4096, BUFFERS = 4 << 20 };

struct transfer {
  CURL *easy;
  EVP_MD_CTX *digest;
  int file;
  size_t size;
  char head[HEAD];
};

// A file that has been fetched and has no name yet.
struct finished {
  int file;
  char name[EVP_MAX_MD_SIZE * 2 + 32];
};

static int directory, slots, batch, waiting;
static const char *path;
static magic_t cookie;
static long kept, failed;
static struct finished finished[MOST_SLOTS];

static void give_up(const char *what) {
  fprintf(stderr, "bare-limit: %s: %s\n", what, strerror(errno));
  exit(70);
}

static size_t receive(char *bytes, size_t one, size_t count, void *context) {
  struct transfer *transfer = context;
  (void)one;
  if (transfer->size < HEAD) {
    const size_t room = HEAD - transfer->size;
    memcpy(transfer->head + transfer->size, bytes, count < room ? count : room);
  }
  transfer->size += count;
  EVP_DigestUpdate(transfer->digest, bytes, count);
  return write(transfer->file, bytes, count) == (ssize_t)count ? count : 0;
}

static int begin(CURLM *multi, struct transfer *transfer) {
  char url[4096];
  if (!fgets(url, sizeof url, stdin)) return 0;
  url[strcspn(url, "\n")] = 0;
  transfer->size = 0;
  transfer->file = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
  if (transfer->file < 0) give_up(path);
  EVP_DigestInit_ex(transfer->digest, EVP_sha256(), NULL);
  curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
  curl_multi_add_handle(multi, transfer->easy);
  return 1;
}

static void give_names(void) {
  if (batch > 1 && syncfs(directory) != 0) give_up("syncfs");
  for (int index = 0; index < waiting; index++) {
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", finished[index].file);
    if (linkat(AT_FDCWD, source, directory, finished[index].name, AT_SYMLINK_FOLLOW) == 0) kept++;
    else failed++;
    close(finished[index].file);
  }
  if (batch > 1 && fsync(directory) != 0) give_up("fsync");
  waiting = 0;
}

static void end(struct transfer *transfer, CURLcode code) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(transfer->digest, digest, &length);
  const char *type = magic_buffer(cookie, transfer->head, transfer->size < HEAD ? transfer->size : HEAD);
  if (code != CURLE_OK || !type || (strncmp(type, "image/", 6) && strncmp(type, "video/", 6))) {
    failed++;
    close(transfer->file);
    return;
  }
  struct finished *new = &finished[waiting++];
  new->file = transfer->file;
  for (unsigned index = 0; index < length; index++) sprintf(new->name + 2 * index, "%02x", digest[index]);
  snprintf(new->name + 2 * length, sizeof new->name - 2 * length, ".%s", type + 6);
  if (waiting == batch) give_names();
}

int main(int count, char **words) {
  slots = count >= 3 ? atoi(words[2]) : 0;
  if (slots < 1 || slots > MOST_SLOTS) {
    fprintf(stderr, "usage: bare-limit DIRECTORY SLOTS [durable], with 1 to %d SLOTS\n", MOST_SLOTS);
    return 64;
  }
  batch = count >= 4 && !strcmp(words[3], "durable") ? slots : 1;
  path = words[1];
  directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) give_up(path);
  curl_global_init(CURL_GLOBAL_ALL);
  cookie = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_TEXT | MAGIC_NO_CHECK_ENCODING | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CDF);
  if (!cookie || magic_load(cookie, NULL) != 0) give_up("libmagic");
  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)slots);
  static struct transfer transfers[MOST_SLOTS];
  int running = 0;
  for (int index = 0; index < slots; index++) {
    struct transfer *transfer = &transfers[index];
    transfer->digest = EVP_MD_CTX_new();
    transfer->easy = curl_easy_init();
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_BUFFERSIZE, (long)(BUFFERS / slots));
    running += begin(multi, transfer);
  }
  while (running > 0) {
    int left, active;
    curl_multi_perform(multi, &active);
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
      struct transfer *transfer;
      const CURLcode code = message->data.result;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
      curl_multi_remove_handle(multi, transfer->easy);
      end(transfer, code);
      running += begin(multi, transfer) - 1;
    }
    if (running > 0) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  give_names();
  return failed ? 1 : 0;
}
