// One thread of libcurl fetches, hashes, sniffs and links what a queue hands out, and publishes the results. There are no address checks, limits or
// deadlines. Started by `throughput`.
//
//     cc -O2 -o limit-QUEUE limit.c limit-QUEUE.c -lcurl -lcrypto -lmagic … && ./limit-QUEUE DIRECTORY SLOTS [PLACE] [durable]
//
// Fetches SLOTS files at once into DIRECTORY. PLACE is where the queue is. With `durable`, one syncfs(2) writes a group of files to the disk before
// they get their names, and the names are then written to the disk, too. For https, SSL_CERT_FILE names the authority. The first failure ends
// the process.
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
#include "limit.h"

// The buffer of libcurl: 64 KB for each of 64 images, 512 KB for each of 8 videos. These were the fastest sizes.
enum { HEAD = 4096, BUFFERS = 4 << 20 };

struct transfer {
  CURL *easy;
  EVP_MD_CTX *digest;
  struct message *message;
  int file;
  size_t size;
  char head[HEAD];
};

// A file that has been fetched and has no name yet.
struct finished {
  struct message *message;
  int file;
  char name[EVP_MAX_MD_SIZE * 2 + 32];
};

int queue_socket = -1;
static int directory, slots, group, is_durable;
// How many transfers are idle, and how many files have no name yet.
static int idle, done;
static const char *path;
static magic_t cookie;
static CURLM *multi;
static struct transfer transfers[MOST_SLOTS], *idlers[MOST_SLOTS];
static struct finished finished[MOST_SLOTS];

void fail(const char *what, const char *reason) {
  fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, reason);
  exit(70);
}

void keep(char *field, size_t size, const char *value, size_t length) {
  if (length >= size) fail("a value of a message is too long", value);
  memcpy(field, value, length);
  field[length] = 0;
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

static void begin(struct transfer *transfer, struct message *message) {
  char url[sizeof message->body];
  // Only the benchmark's own payloads look like this.
  const char *start = strstr(message->body, "\"url\": \"");
  strcpy(url, start ? start + 8 : message->body);
  url[strcspn(url, "\"\n")] = 0;
  transfer->message = message;
  transfer->size = 0;
  transfer->file = open(path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
  if (transfer->file < 0) fail(path, strerror(errno));
  EVP_DigestInit_ex(transfer->digest, EVP_sha256(), NULL);
  curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
  curl_multi_add_handle(multi, transfer->easy);
}

// Begins as many downloads as there is room for. Returns whether there may be more messages.
static int begin_all(void) {
  static struct message *taken[MOST_SLOTS];
  static int count, begun, is_over;
  while (idle > 0) {
    if (begun == count && !is_over) {
      begun = 0;
      count = queue_take(taken, queue_group ? queue_group : MOST_SLOTS);
      is_over = count < 0;
      if (is_over) count = 0;
    }
    if (begun == count) break;
    begin(idlers[--idle], taken[begun++]);
  }
  return begun < count || !is_over;
}

static void give_names_and_settle(void) {
  struct message *messages[MOST_SLOTS];
  if (done == 0) return;
  if (is_durable && syncfs(directory) != 0) fail("syncfs", strerror(errno));
  for (int index = 0; index < done; index++) {
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", finished[index].file);
    if (linkat(AT_FDCWD, source, directory, finished[index].name, AT_SYMLINK_FOLLOW) != 0) fail(finished[index].name, strerror(errno));
    close(finished[index].file);
    messages[index] = finished[index].message;
  }
  if (is_durable && fsync(directory) != 0) fail("fsync", strerror(errno));
  queue_settle(messages, done);
  for (int index = 0; index < done; index++) free(messages[index]);
  done = 0;
}

// Turns a payload into a result as long as that of `push-enricher work`.
static void write_result(struct message *message, const char *name, const char *type, size_t size) {
  char *end = strrchr(message->body, '}');
  if (!end) return;
  const size_t room = message->body + sizeof message->body - end;
  const int length = snprintf(end, room,
    ",\"attachments\":[{\"identifier\":\"1\",\"url\":\"file://%s/%s\",\"type\":\"%s\",\"size\":%zu,\"sha256\":\"%.64s\",\"width\":640,\"height\":480}]}",
    path, name, type, size, name);
  if ((size_t)length >= room) fail("a result is too long", message->body);
}

static void end(struct transfer *transfer, CURLcode code) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(transfer->digest, digest, &length);
  const char *type = magic_buffer(cookie, transfer->head, transfer->size < HEAD ? transfer->size : HEAD);
  if (code != CURLE_OK) fail(transfer->message->body, curl_easy_strerror(code));
  if (!type || (strncmp(type, "image/", 6) && strncmp(type, "video/", 6))) fail(transfer->message->body, type ? type : "no type");
  idlers[idle++] = transfer;
  struct finished *new = &finished[done++];
  new->message = transfer->message;
  new->file = transfer->file;
  for (unsigned index = 0; index < length; index++) sprintf(new->name + 2 * index, "%02x", digest[index]);
  snprintf(new->name + 2 * length, sizeof new->name - 2 * length, ".%s", type + 6);
  write_result(new->message, new->name, type, transfer->size);
  if (done == group) give_names_and_settle();
}

static void prepare(void) {
  const char *authority = getenv("SSL_CERT_FILE");
  curl_global_init(CURL_GLOBAL_ALL);
  cookie = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_TEXT | MAGIC_NO_CHECK_ENCODING | MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CDF);
  if (!cookie || magic_load(cookie, NULL) != 0) fail("libmagic", cookie ? magic_error(cookie) : strerror(errno));
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)slots);
  for (idle = 0; idle < slots; idle++) {
    struct transfer *transfer = idlers[idle] = &transfers[idle];
    transfer->digest = EVP_MD_CTX_new();
    transfer->easy = curl_easy_init();
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_BUFFERSIZE, (long)(BUFFERS / slots));
    if (authority) curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, authority);
  }
}

int main(int count, char **words) {
  if (count > 3 && !strcmp(words[count - 1], "durable")) {
    is_durable = 1;
    words[--count] = NULL;
  }
  slots = count >= 3 ? atoi(words[2]) : 0;
  if (slots < 1 || slots > MOST_SLOTS) {
    fprintf(stderr, "usage: %s DIRECTORY SLOTS [PLACE] [durable], with 1 to %d SLOTS\n", program_invocation_short_name, MOST_SLOTS);
    return 64;
  }
  // Without a queue that has groups, only the sync of files needs them.
  group = queue_group ? queue_group : is_durable ? slots : 1;
  if (group > slots) group = slots;
  path = words[1];
  directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) fail(path, strerror(errno));
  prepare();
  queue_open(count > 3 ? words[3] : NULL, slots);
  struct curl_waitfd extra = {.fd = queue_socket, .events = CURL_WAIT_POLLIN};
  begin_all();
  while (1) {
    int left, active;
    curl_multi_perform(multi, &active);
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
      struct transfer *transfer;
      const CURLcode code = message->data.result;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
      curl_multi_remove_handle(multi, transfer->easy);
      end(transfer, code);
    }
    const int may_come = begin_all();
    if (idle == slots) {
      // Nothing else will fill the group.
      give_names_and_settle();
      if (!may_come) break;
    }
    curl_multi_poll(multi, &extra, queue_socket >= 0, 1000, NULL);
  }
  queue_close();
}
