#include <sqlite3.h>
#include <stddef.h>

// SQLITE_TRANSIENT is a cast of -1 to a function. SQLite takes a copy, so that Swift's pointer may end with the call.
// Nothing is an empty text here, where SQLite would take a null pointer for NULL.
static inline int bind_text(sqlite3_stmt *statement, int index, const char *text, size_t count) {
  return sqlite3_bind_text64(statement, index, text ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// The same for bytes.
static inline int bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}
