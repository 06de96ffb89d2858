// A limit with the SQLite queue of push-enricher: one transaction takes 64 messages, one publishes the results and removes the messages. PLACE is the
// file. There is no look for messages of processes that have died.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "limit.h"

const int queue_group = 64;
static sqlite3 *file;
static sqlite3_stmt *oldest, *lease, *delete, *insert;

static void check(int code, int expected) {
  if (code != expected) fail("SQLite", sqlite3_errmsg(file));
}

static void run(const char *statements) {
  check(sqlite3_exec(file, statements, NULL, NULL, NULL), SQLITE_OK);
}

static sqlite3_stmt *prepare(const char *text) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v3(file, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), SQLITE_OK);
  return statement;
}

// Runs a statement that changes one row.
static void change(sqlite3_stmt *statement) {
  check(sqlite3_step(statement), SQLITE_DONE);
  check(sqlite3_reset(statement), SQLITE_OK);
  if (sqlite3_changes(file) != 1) fail("SQLite", "a message is gone");
}

void queue_open(const char *place, int slots) {
  (void)slots;
  if (!place || sqlite3_open_v2(place, &file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) fail("SQLite", "the file cannot be opened");
  sqlite3_busy_timeout(file, 5000);
  // As `SQLiteLayout.start` sets it. The file is in WAL mode already.
  run("PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = FAST");
  oldest = prepare("SELECT number, id, body FROM message WHERE queue = 'incoming' AND owner <= 0 ORDER BY number LIMIT ?1");
  lease = prepare("UPDATE message SET owner = ?2, receipt = ?3, attempts = attempts + 1 WHERE number = ?1");
  delete = prepare("DELETE FROM message WHERE number = ?1 AND receipt = ?2");
  insert = prepare("INSERT INTO message (queue, id, headers, body) "
                   "VALUES ('enriched', ?1, '{\"enrich-outcome\":\"enriched\",\"enrich-elapsed-ms\":\"3\"}', ?2)");
}

static void keep_column(char *field, size_t size, int column) {
  keep(field, size, sqlite3_column_blob(oldest, column), sqlite3_column_bytes(oldest, column));
}

int queue_take(struct message **messages, int limit) {
  int count = 0, code;
  run("BEGIN IMMEDIATE");
  check(sqlite3_bind_int(oldest, 1, limit), SQLITE_OK);
  while ((code = sqlite3_step(oldest)) == SQLITE_ROW) {
    struct message *message = messages[count++] = malloc(sizeof *message);
    message->tag = sqlite3_column_int64(oldest, 0);
    keep_column(message->id, sizeof message->id, 1);
    keep_column(message->body, sizeof message->body, 2);
    snprintf(message->receipt, sizeof message->receipt, "%lld-%lx%lx", (long long)message->tag, random(), random());
  }
  check(code, SQLITE_DONE);
  check(sqlite3_reset(oldest), SQLITE_OK);
  for (int index = 0; index < count; index++) {
    sqlite3_bind_int64(lease, 1, messages[index]->tag);
    sqlite3_bind_int(lease, 2, getpid());
    sqlite3_bind_text(lease, 3, messages[index]->receipt, -1, SQLITE_STATIC);
    change(lease);
  }
  run("COMMIT");
  return count ? count : -1;
}

void queue_settle(struct message **messages, int count) {
  run("BEGIN IMMEDIATE");
  for (int index = 0; index < count; index++) {
    struct message *message = messages[index];
    sqlite3_bind_int64(delete, 1, message->tag);
    sqlite3_bind_text(delete, 2, message->receipt, -1, SQLITE_STATIC);
    change(delete);
    sqlite3_bind_text(insert, 1, message->id, -1, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 2, message->body, strlen(message->body), SQLITE_STATIC);
    change(insert);
  }
  run("COMMIT");
}

void queue_close(void) {
  sqlite3_finalize(oldest);
  sqlite3_finalize(lease);
  sqlite3_finalize(delete);
  sqlite3_finalize(insert);
  check(sqlite3_close(file), SQLITE_OK);
}
