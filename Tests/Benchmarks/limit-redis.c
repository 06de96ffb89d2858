// A limit with a stream of Redis: XREADGROUP takes 16 messages, one script publishes 16 results and removes the messages. PLACE is the port. There are no
// signs of life, and no look for messages of processes that have died.
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "limit.h"

const int queue_group = 16;
// Takes the entry, the id and the body of each message.
static const char settle[] =
  "local entries = {} "
  "for i = 1, #ARGV, 3 do "
  "  redis.call('XADD', KEYS[2], '*', 'id', ARGV[i + 1], 'body', ARGV[i + 2], 'enrich-outcome', 'enriched', 'enrich-elapsed-ms', '3') "
  "  entries[#entries + 1] = ARGV[i] "
  "end "
  "redis.call('XDEL', KEYS[1], unpack(entries)) "
  "return redis.call('XACK', KEYS[1], 'workers', unpack(entries))";
static redisContext *server;
static char digest[64];

static redisReply *checked(void *reply) {
  if (!reply) fail("Redis", server->errstr);
  if (((redisReply *)reply)->type == REDIS_REPLY_ERROR) fail("Redis", ((redisReply *)reply)->str);
  return reply;
}

void queue_open(const char *place, int slots) {
  (void)slots;
  server = redisConnect("127.0.0.1", place ? atoi(place) : 6379);
  if (!server || server->err) fail("Redis", server ? server->errstr : "no memory");
  freeReplyObject(checked(redisCommand(server, "XGROUP CREATE incoming workers 0 MKSTREAM")));
  redisReply *loaded = checked(redisCommand(server, "SCRIPT LOAD %s", settle));
  keep(digest, sizeof digest, loaded->str, loaded->len);
  freeReplyObject(loaded);
}

int queue_take(struct message **messages, int limit) {
  redisReply *reply = checked(redisCommand(server, "XREADGROUP GROUP workers limit COUNT %d STREAMS incoming >", limit));
  int count = 0;
  // One stream, of which the second item is the list of its entries.
  if (reply->type == REDIS_REPLY_ARRAY) {
    const redisReply *entries = reply->element[0]->element[1];
    for (size_t index = 0; index < entries->elements; index++) {
      const redisReply *id = entries->element[index]->element[0], *fields = entries->element[index]->element[1];
      struct message *message = messages[count++] = malloc(sizeof *message);
      keep(message->receipt, sizeof message->receipt, id->str, id->len);
      // `enqueue` writes these two first.
      if (fields->elements < 4 || strcmp(fields->element[0]->str, "id") || strcmp(fields->element[2]->str, "body")) fail("Redis", "not a message");
      keep(message->id, sizeof message->id, fields->element[1]->str, fields->element[1]->len);
      keep(message->body, sizeof message->body, fields->element[3]->str, fields->element[3]->len);
    }
  }
  freeReplyObject(reply);
  return count ? count : -1;
}

void queue_settle(struct message **messages, int count) {
  const char *words[5 + 3 * MOST_SLOTS] = {"EVALSHA", digest, "2", "incoming", "enriched"};
  int at = 5;
  for (int index = 0; index < count; index++) {
    words[at++] = messages[index]->receipt;
    words[at++] = messages[index]->id;
    words[at++] = messages[index]->body;
  }
  redisReply *reply = checked(redisCommandArgv(server, at, words, NULL));
  if (reply->integer != count) fail("Redis", "a message is gone");
  freeReplyObject(reply);
}

void queue_close(void) {
  redisFree(server);
}
