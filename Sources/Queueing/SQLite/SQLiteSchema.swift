internal import Glibc

/// The one table of a queue file. Made for people with the `sqlite3` shell too:
///
/// ```sql
/// SELECT queue, count(*), sum(leased_until > unixepoch() * 1000) AS on_lease FROM message GROUP BY queue;
/// SELECT id, headers ->> 'enrich-reason', CAST(body AS TEXT) FROM message WHERE queue = 'enriched';
/// INSERT INTO message (queue, body) VALUES ('incoming', CAST('{"aps":{}}' AS BLOB));
/// ```
enum SQLiteSchema {
  /// In the file's header, to tell a queue from other databases: "push" in ASCII.
  private static let applicationID = "1886745448"
  /// Version of the layout.
  private static let version = 1

  /// `number` gives the order of messages over all queues of the file, and is never used twice.
  /// `leased_until` is in milliseconds since 1970, 0 without a lease. It is in the index, so that the search
  /// for the oldest free message does not read the rows of those on lease.
  private static let layout = """
    CREATE TABLE message (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      queue TEXT NOT NULL,
      id TEXT NOT NULL DEFAULT (lower(hex(randomblob(16)))),
      leased_until INTEGER NOT NULL DEFAULT 0,
      receipt TEXT NOT NULL DEFAULT '',
      attempts INTEGER NOT NULL DEFAULT 0,
      headers TEXT NOT NULL DEFAULT '{}' CHECK (json_type(headers) = 'object'),
      body BLOB NOT NULL
    ) STRICT;
    CREATE INDEX message_order ON message (queue, number, leased_until);
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """

  /// Settings of each connection. Temporary data stays in memory: the sandbox has no directory for temporary
  /// files.
  private static let settings = """
    PRAGMA temp_store = MEMORY;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -64;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA secure_delete = FAST;
    """

  /// Creates the layout in an empty file, and checks it in any other.
  /// - Throws: `QueueError.refused` for a file of another program, or of a later version of this one.
  static func prepare(_ connection: inout SQLiteConnection) throws(QueueError) {
    if try isEmpty(&connection) { try make(&connection) }
    try check(&connection)
    try startJournal(&connection)
    try connection.execute(settings)
  }

  private static func make(_ connection: inout SQLiteConnection) throws(QueueError) {
    try connection.begin()
    do throws(QueueError) {
      // Another process may have been faster.
      if try isEmpty(&connection) { try connection.execute(layout) }
      try connection.commit()
    } catch {
      connection.rollBack()
      throw error
    }
  }

  private static func isEmpty(_ connection: inout SQLiteConnection) throws(QueueError) -> Bool {
    guard try connection.value("PRAGMA user_version") == "0" else { return false }
    return try connection.value("SELECT count(*) FROM sqlite_schema") == "0"
  }

  private static func check(_ connection: inout SQLiteConnection) throws(QueueError) {
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
  }

  /// Switches to WAL, in which readers and the writer do not wait for each other, and a transaction is one
  /// write.
  private static func startJournal(_ connection: inout SQLiteConnection) throws(QueueError) {
    guard try journal(of: &connection) == "wal" else {
      throw .refused(
        "the file system of the queue \(connection.path) cannot be shared by processes: use a local one, like ext4"
      )
    }
  }

  /// Retries, because this does not wait for other processes that open the same new file, as all other
  /// statements do.
  private static func journal(of connection: inout SQLiteConnection) throws(QueueError) -> String? {
    let end = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < end {
      do throws(QueueError) {
        return try connection.value("PRAGMA journal_mode = WAL")
      } catch {
        guard case .unavailable = error else { throw error }
        usleep(20_000)
      }
    }
    return try connection.value("PRAGMA journal_mode = WAL")
  }
}
