internal import Glibc

/// The only table of a queue file. It is also made for people who use the `sqlite3` shell:
///
/// ```sql
/// SELECT queue, count(*), sum(owner > 0) AS on_lease FROM message GROUP BY queue;
/// SELECT id, headers ->> 'enrich-reason', CAST(body AS TEXT) FROM message WHERE queue = 'enriched';
/// INSERT INTO message (queue, body) VALUES ('incoming', CAST('{"aps":{}}' AS BLOB));
/// ```
enum SQLiteSchema {
  /// Stored in the file's header to tell a queue from other databases: "push" in ASCII.
  private static let applicationID = "1886745448"
  /// The version of the layout.
  private static let version = 2

  /// `number` orders the messages of all queues. `owner` is a `LeaseOwner`'s number, or 0 without a
  /// lease. It is in the first index, so that a search for free messages skips rows on lease.
  private static let layout = """
    CREATE TABLE message (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      queue TEXT NOT NULL,
      id TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
      owner INTEGER NOT NULL DEFAULT 0,
      receipt TEXT NOT NULL DEFAULT '',
      attempts INTEGER NOT NULL DEFAULT 0,
      headers TEXT NOT NULL DEFAULT '{}' CHECK (json_type(headers) = 'object'),
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX message_order ON message (queue, number, owner);
    \(ownerIndex)
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """

  /// Finds all owners quickly, however many messages wait.
  private static let ownerIndex = "CREATE INDEX message_owner ON message (owner) WHERE owner > 0;"

  /// Upgrades from version 1, whose leases ended at a time of day. Read as an owner, a time is an
  /// ended process.
  private static let upgrade = """
    ALTER TABLE message RENAME COLUMN leased_until TO owner;
    \(ownerIndex)
    PRAGMA user_version = \(version);
    """

  /// Messages that are put aside until `due`, in milliseconds since 1970. Earlier versions leave them
  /// alone. Each keeps its number, so that it is handed out before what came after it.
  private static let postponed = """
    CREATE TABLE IF NOT EXISTS postponed (
      number INTEGER PRIMARY KEY,
      queue TEXT NOT NULL,
      due INTEGER NOT NULL,
      line TEXT NOT NULL,
      id TEXT NOT NULL,
      attempts INTEGER NOT NULL,
      headers TEXT NOT NULL,
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS postponed_due ON postponed (queue, due);
    CREATE INDEX IF NOT EXISTS postponed_line ON postponed (queue, line, due) WHERE line != '';
    """

  /// Settings of each connection. Temporary data stays in memory: the sandbox has no folder for it.
  private static let settings = """
    PRAGMA temp_store = MEMORY;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -64;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA secure_delete = FAST;
    """

  /// Creates the layout in an empty file, and upgrades the layout of an earlier version.
  /// - Throws: `QueueError.refused` if the file is another program's, or a later version's.
  static func prepare(_ connection: inout SQLiteConnection) throws(QueueError) {
    let isNew =
      "SELECT user_version = 0 AND NOT EXISTS (SELECT 1 FROM sqlite_schema) FROM pragma_user_version"
    try write(layout, into: &connection, if: isNew)
    guard try connection.value("PRAGMA application_id") == applicationID else {
      throw .refused(
        "\(connection.path) is a database of another program: name a file of its own for the queue")
    }
    let found = try connection.value("PRAGMA user_version").flatMap { Int($0) } ?? 0
    guard found <= version else {
      throw .refused(
        "the queue \(connection.path) was made by a later version of push-enricher, which is needed to use it: "
          + "its layout is \(found), and this version knows \(version)")
    }
    try write(upgrade, into: &connection, if: "SELECT user_version = 1 FROM pragma_user_version")
    try connection.execute(postponed)
    try startJournal(&connection)
    try connection.execute(settings)
  }

  /// Runs `sql` in a transaction if `condition` selects 1. If it fails, closing the connection
  /// rolls it back.
  private static func write(
    _ sql: String, into connection: inout SQLiteConnection, if condition: String
  ) throws(QueueError) {
    guard try connection.value(condition) == "1" else { return }
    try connection.begin()
    // Another process may have been faster.
    if try connection.value(condition) == "1" { try connection.execute(sql) }
    try connection.run("COMMIT")
  }

  /// Switches to WAL: readers and the writer do not wait for each other, and a transaction is one
  /// write. Retries, because this is the only statement that does not wait for other processes.
  private static func startJournal(_ connection: inout SQLiteConnection) throws(QueueError) {
    let end = ContinuousClock.now + .seconds(5)
    while true {
      do throws(QueueError) {
        if try connection.value("PRAGMA journal_mode = WAL") == "wal" { return }
        throw .refused(
          "the file system of the queue \(connection.path) cannot be shared by processes: use a local one, like ext4"
        )
      } catch {
        guard case .unavailable = error, .now < end else { throw error }
        usleep(20_000)
      }
    }
  }
}
