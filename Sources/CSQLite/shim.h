#include <sqlite3.h>
#include <stddef.h>

// SQLITE_TRANSIENT is a cast of -1 to a function. It makes SQLite copy the text, so that Swift's pointer need not outlive the call. A null
// pointer means an empty text here; SQLite itself would store NULL.
static inline int bind_text(sqlite3_stmt *statement, int index, const char *text, size_t count) {
  return sqlite3_bind_text64(statement, index, text ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Does the same for bytes.
static inline int bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

// Makes the connection leave its journal alone when it is closed. Swift cannot call the function itself: it is variadic.
static inline int keep_journal(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}
