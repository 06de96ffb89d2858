// A limit with quorum queues of RabbitMQ: one lasting consumer whose prefetch is SLOTS, results in groups of 16 whose confirmations are not waited for,
// and one acknowledgment for 16 messages or more whose results are confirmed. PLACE is the port.
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "limit.h"

enum { CHANNEL = 1, FRAME = 131072 };

const int queue_group = 16;
static amqp_connection_state_t broker;
static uint64_t remaining, published, confirmed, acknowledged, last_acknowledged, least;
// By the number of the publication: the message that it is the result of, or 0 once it is confirmed. The broker numbers both from 1 on, and fewer than
// 256 are open at once.
static uint64_t tags[256];
// By the number of the message: whether its result is confirmed.
static char is_done[256];

static void check(int status) {
  if (status != AMQP_STATUS_OK) fail("RabbitMQ", amqp_error_string2(status));
}

static void check_reply(const char *what, amqp_rpc_reply_t reply) {
  if (reply.reply_type == AMQP_RESPONSE_LIBRARY_EXCEPTION) fail(what, amqp_error_string2(reply.library_error));
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail(what, "RabbitMQ refuses it");
}

void queue_open(const char *place, int slots) {
  broker = amqp_new_connection();
  amqp_socket_t *socket = amqp_tcp_socket_new(broker);
  if (!socket) fail("RabbitMQ", "no memory");
  check(amqp_socket_open(socket, "127.0.0.1", place ? atoi(place) : 5672));
  check_reply("login", amqp_login(broker, "/", 0, FRAME, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"));
  amqp_channel_open(broker, CHANNEL);
  check_reply("channel.open", amqp_get_rpc_reply(broker));
  // As `ReplyQueue.prepare` declares it.
  amqp_table_entry_t entries[] = {
    {amqp_cstring_bytes("x-queue-type"), {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = amqp_cstring_bytes("quorum")}},
    {amqp_cstring_bytes("x-delivery-limit"), {.kind = AMQP_FIELD_KIND_I64, .value.i64 = 1000000}}};
  amqp_queue_declare(broker, CHANNEL, amqp_cstring_bytes("enriched"), 0, 1, 0, 0, (amqp_table_t){2, entries});
  check_reply("queue.declare", amqp_get_rpc_reply(broker));
  const amqp_queue_declare_ok_t *incoming = amqp_queue_declare(broker, CHANNEL, amqp_cstring_bytes("incoming"), 1, 1, 0, 0, amqp_empty_table);
  check_reply("queue.declare", amqp_get_rpc_reply(broker));
  remaining = incoming->message_count;
  // With fewer slots than a group has messages, no more would come.
  least = slots < queue_group ? slots : queue_group;
  amqp_confirm_select(broker, CHANNEL);
  check_reply("confirm.select", amqp_get_rpc_reply(broker));
  amqp_basic_qos(broker, CHANNEL, 0, slots, 0);
  check_reply("basic.qos", amqp_get_rpc_reply(broker));
  amqp_basic_consume(broker, CHANNEL, amqp_cstring_bytes("incoming"), amqp_cstring_bytes("limit"), 0, 0, 0, amqp_empty_table);
  check_reply("basic.consume", amqp_get_rpc_reply(broker));
  queue_socket = amqp_get_sockfd(broker);
}

// Acknowledges the oldest messages, if the results of `number` or more of them are confirmed.
static void acknowledge(uint64_t number) {
  while (is_done[(acknowledged + 1) % 256]) is_done[++acknowledged % 256] = 0;
  if (acknowledged - last_acknowledged < number) return;
  check(amqp_basic_ack(broker, CHANNEL, acknowledged, 1));
  last_acknowledged = acknowledged;
}

static void confirm(uint64_t number) {
  if (tags[number % 256]) is_done[tags[number % 256] % 256] = 1;
  tags[number % 256] = 0;
  while (confirmed < published && !tags[(confirmed + 1) % 256]) confirmed++;
}

// Returns the message that begins with a frame, or NULL if the frame is a confirmation.
static struct message *hear(const amqp_frame_t *frame) {
  if (frame->frame_type != AMQP_FRAME_METHOD) fail("RabbitMQ", "an unexpected frame");
  if (frame->payload.method.id == AMQP_BASIC_ACK_METHOD) {
    const amqp_basic_ack_t *ack = frame->payload.method.decoded;
    while (ack->multiple && confirmed < ack->delivery_tag) confirm(confirmed + 1);
    if (!ack->multiple) confirm(ack->delivery_tag);
    return NULL;
  }
  if (frame->payload.method.id != AMQP_BASIC_DELIVER_METHOD) fail("RabbitMQ sent", amqp_method_name(frame->payload.method.id));
  struct message *message = malloc(sizeof *message);
  message->tag = ((const amqp_basic_deliver_t *)frame->payload.method.decoded)->delivery_tag;
  amqp_message_t content;
  check_reply("basic.deliver", amqp_read_message(broker, CHANNEL, &content, 0));
  keep(message->id, sizeof message->id, content.properties.message_id.bytes, content.properties.message_id.len);
  keep(message->body, sizeof message->body, content.body.bytes, content.body.len);
  amqp_destroy_message(&content);
  remaining--;
  return message;
}

int queue_take(struct message **messages, int limit) {
  int count = 0;
  while (count < limit) {
    amqp_frame_t frame;
    const int status = amqp_simple_wait_frame_noblock(broker, &frame, &(struct timeval){0});
    if (status == AMQP_STATUS_TIMEOUT) break;
    check(status);
    struct message *message = hear(&frame);
    if (message) messages[count++] = message;
  }
  amqp_maybe_release_buffers(broker);
  acknowledge(least);
  return count || remaining ? count : -1;
}

static void cork(int is_corked) {
  setsockopt(queue_socket, IPPROTO_TCP, TCP_CORK, &is_corked, sizeof is_corked);
}

void queue_settle(struct message **messages, int count) {
  amqp_table_entry_t headers[] = {
    {amqp_cstring_bytes("enrich-outcome"), {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = amqp_cstring_bytes("enriched")}},
    {amqp_cstring_bytes("enrich-elapsed-ms"), {.kind = AMQP_FIELD_KIND_UTF8, .value.bytes = amqp_cstring_bytes("3")}}};
  amqp_basic_properties_t properties = {
    ._flags = AMQP_BASIC_HEADERS_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG,
    .headers = {2, headers}, .delivery_mode = AMQP_DELIVERY_PERSISTENT};
  cork(1);
  for (int index = 0; index < count; index++) {
    properties.message_id = amqp_cstring_bytes(messages[index]->id);
    // Mandatory: RabbitMQ would silently drop what has no queue.
    check(amqp_basic_publish(broker, CHANNEL, amqp_empty_bytes, amqp_cstring_bytes("enriched"), 1, 0, &properties,
                             amqp_cstring_bytes(messages[index]->body)));
    tags[++published % 256] = messages[index]->tag;
  }
  cork(0);
}

void queue_close(void) {
  while (acknowledge(1), acknowledged < published) {
    amqp_frame_t frame;
    check(amqp_simple_wait_frame(broker, &frame));
    hear(&frame);
    amqp_maybe_release_buffers(broker);
  }
  // RabbitMQ answers this after it has handled the acknowledgments.
  check_reply("connection.close", amqp_connection_close(broker, AMQP_REPLY_SUCCESS));
  amqp_destroy_connection(broker);
}
