// A limit program is `limit.c` and one queue, `limit-QUEUE.c`, in one thread. `limit.c` downloads what the queue hands out.
#pragma once
#include <stdint.h>

enum { MOST_SLOTS = 64 };

struct message {
  // What the queue knows the message by.
  uint64_t tag;
  char receipt[64], id[64];
  // A payload, or only a URL. Later the result.
  char body[2048];
};

// How many messages are taken or settled together. 0 if the queue does not care.
extern const int queue_group;
// What to wait for besides the downloads, or -1.
extern int queue_socket;

// `slots`: how many messages may be on lease at once, if the queue hands them out by itself.
void queue_open(const char *place, int slots);
// Takes up to `limit` messages that are there. Returns how many, or -1 if there will never be more.
int queue_take(struct message **messages, int limit);
// Publishes the results, and removes the messages from the queue. The rest of that may come with later calls.
void queue_settle(struct message **messages, int count);
// Waits until everything is settled.
void queue_close(void);

// Copies a value into a field of a message.
void keep(char *field, size_t size, const char *value, size_t length);
// Ends the process.
_Noreturn void fail(const char *what, const char *reason);
