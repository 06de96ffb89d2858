internal import Glibc

/// The tables of a queue file. `message` is also meant for people who use the `sqlite3` shell:
///
/// ```sql
/// SELECT queue, count(*), sum(owner > 0) AS on_lease FROM message GROUP BY queue;
/// SELECT id, headers ->> 'enrich-reason', CAST(body AS TEXT) FROM message WHERE queue = 'enriched';
/// INSERT INTO message (queue, body) VALUES ('incoming', CAST('{"aps":{}}' AS BLOB));
/// ```
enum SQLiteSchema {
  /// "push" in ASCII.
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
    """

  /// Finds all owners quickly, however many messages wait.
  private static let ownerIndex = "CREATE INDEX message_owner ON message (owner) WHERE owner > 0;"

  /// Upgrades from version 1, in which leases ended at a time of day. As an owner's number, such a
  /// time belongs to no process, so the lease counts as ended.
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
    DROP INDEX IF EXISTS postponed_line;
    CREATE INDEX IF NOT EXISTS postponed_order ON postponed (queue, line, number) WHERE line != '';
    """

  /// Creates the tables in an empty file, and upgrades those of an earlier version.
  /// - Throws: `QueueError.refused` if the file is another program's, or a later version's.
  static func prepare(_ connection: inout SQLiteConnection) throws(QueueError) {
    let file = SQLiteLayout(
      applicationID: applicationID, version: version, name: "queue", tables: layout, cache: 64)
    try file.make(in: &connection)
    try SQLiteLayout.write(upgrade, into: &connection, if: "SELECT user_version = 1 FROM pragma_user_version")
    try connection.execute(postponed)
    try file.start(&connection)
  }
}
