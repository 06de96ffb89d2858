internal import Glibc

/// The layout of a database file of this program: a number in its header that tells it from other
/// databases, a version, tables, a journal and settings.
package struct SQLiteLayout {
  private let applicationID, name, tables: String
  private let version, cache: Int

  /// - Parameters:
  ///   - applicationID: stored in the header of the file. A decimal number.
  ///   - name: what the file is, for messages.
  ///   - tables: the statements that create the tables.
  ///   - cache: how many KB of the file are kept in memory.
  package init(applicationID: String, version: Int, name: String, tables: String, cache: Int) {
    (self.applicationID, self.version, self.name) = (applicationID, version, name)
    (self.tables, self.cache) = (tables, cache)
  }

  /// Creates the tables in an empty file.
  /// - Throws: `QueueError.refused` if the file is another program's, or a later version's.
  package func make(in connection: inout SQLiteConnection) throws(QueueError) {
    let isNew =
      "SELECT user_version = 0 AND NOT EXISTS (SELECT 1 FROM sqlite_schema) FROM pragma_user_version"
    let marks = "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version);"
    try Self.write(tables + marks, into: &connection, if: isNew)
    guard try connection.value("PRAGMA application_id") == applicationID else {
      throw .refused(
        "\(connection.path) is a database of another program: name a file of its own for the \(name)")
    }
    let found = try connection.value("PRAGMA user_version").flatMap { Int($0) } ?? 0
    guard found <= version else {
      throw .refused(
        "the \(name) \(connection.path) was created by a later version of push-enricher, which is needed to use it: "
          + "its layout is \(found), and this version knows \(version)")
    }
  }

  /// Starts the journal, and applies the settings that every connection needs.
  package func start(_ connection: inout SQLiteConnection) throws(QueueError) {
    try startJournal(&connection)
    // Temporary data stays in memory: the sandbox has no folder for it.
    try connection.execute(
      """
      PRAGMA temp_store = MEMORY;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -\(cache);
      PRAGMA journal_size_limit = 4194304;
      PRAGMA secure_delete = FAST;
      """)
  }

  /// Runs `sql` in a transaction if `condition` selects 1. If it fails, closing the connection
  /// rolls it back.
  package static func write(
    _ sql: String, into connection: inout SQLiteConnection, if condition: String
  ) throws(QueueError) {
    guard try connection.value(condition) == "1" else { return }
    try connection.begin()
    // Another process may have been faster.
    if try connection.value(condition) == "1" { try connection.execute(sql) }
    try connection.commit()
  }

  /// Switches to WAL: readers and the writer do not wait for each other, and a transaction is one
  /// write. Retries, because this is the only statement that does not wait for other processes.
  private func startJournal(_ connection: inout SQLiteConnection) throws(QueueError) {
    let end = ContinuousClock.now + .seconds(5)
    while true {
      do throws(QueueError) {
        if try connection.value("PRAGMA journal_mode = WAL") == "wal" { return }
        throw .refused(
          "the file system of the \(name) \(connection.path) cannot be shared by processes: use a local one, like ext4"
        )
      } catch {
        guard case .unavailable = error, .now < end else { throw error }
        usleep(20_000)
      }
    }
  }
}
