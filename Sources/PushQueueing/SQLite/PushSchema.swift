internal import Queueing

/// The tables of a push queue's file.
///
/// ```sql
/// SELECT app, count(*) FROM device GROUP BY app;
/// SELECT day, what, n FROM count WHERE app = 'com.example.app';
/// ```
enum PushSchema {
  /// "pshq" in ASCII.
  private static let applicationID = "1886611569"
  private static let version = 1
  /// In KB.
  private static let cache = 160
  /// In bytes, half of SQLite's default, which saves a tenth of the time. A batch changes about as many pages
  /// as it has devices, and each page is written whole.
  private static let pageSize = 2_048

  /// The number of a device is a hash of its names, so that finding it needs no index. `log` is a
  /// `DeviceLog`. The other columns rarely change, and most devices are not in the partial indexes.
  ///
  /// Each push has its own row at the end of its table, so that rows are packed and the oldest ones are
  /// together.
  private static let tables = """
    CREATE TABLE device (
      number INTEGER PRIMARY KEY,
      app TEXT NOT NULL,
      name TEXT NOT NULL,
      day INTEGER NOT NULL,
      ends INTEGER NOT NULL,
      due INTEGER NOT NULL,
      log BLOB NOT NULL
    ) STRICT;
    CREATE INDEX device_day ON device (day);
    CREATE INDEX device_ends ON device (ends) WHERE ends > 0;
    CREATE INDEX device_due ON device (due) WHERE due > 0;
    CREATE TABLE push (number INTEGER PRIMARY KEY, device INTEGER NOT NULL, content BLOB NOT NULL) STRICT;
    CREATE TABLE count (
      day INTEGER NOT NULL,
      app TEXT NOT NULL,
      what INTEGER NOT NULL,
      n INTEGER NOT NULL,
      PRIMARY KEY (day, app, what)
    ) STRICT, WITHOUT ROWID;
    """

  /// What a push takes in the file in addition to its content, in bytes.
  static let overhead = 64

  /// The sum of what all pushes take. Adding it up each time would read the whole file.
  private static let size = """
    CREATE TABLE size (bytes INTEGER NOT NULL) STRICT;
    INSERT INTO size SELECT coalesce(sum(length(content) + \(overhead)), 0) FROM push;
    """
  private static let hasNoSize = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'size')"

  /// - Throws: `QueueError.refused` if the file is another program's, or a later version's.
  static func prepare(_ connection: inout SQLiteConnection) throws(QueueError) {
    let file = SQLiteLayout(
      applicationID: applicationID, version: version, name: "push queue", tables: tables, cache: cache)
    // Only affects a new file.
    try connection.execute("PRAGMA page_size = \(pageSize)")
    try file.make(in: &connection)
    try SQLiteLayout.write(size, into: &connection, if: hasNoSize)
    try file.start(&connection)
  }
}
