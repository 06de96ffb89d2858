internal import CSQLite
internal import Glibc

/// A connection to one database file; closed with this value. Used by one thread at a time.
@safe struct SQLiteConnection: ~Copyable {
  /// As the user wrote it.
  let path: String
  private let handle: OpaquePointer
  /// Prepared statements by their text: preparing one takes longer than running it.
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens the file, and creates it where it is missing.
  /// - Throws: `QueueError.refused` for a file that can never be opened.
  init(path: String) throws(QueueError) {
    // SQLite interprets names such as `:memory:` and `file:x?mode=memory`; with a `./` before them they are
    // files.
    let name = path.hasPrefix("/") ? path : "./\(path)"
    Self.create(name)
    var opened: OpaquePointer?
    // Without SQLite's own locks, as one thread at a time uses it. The last flag asks for detailed error
    // codes.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe opened else {
      let kernel = unsafe opened.map { unsafe sqlite3_system_errno($0) } ?? 0
      unsafe sqlite3_close_v2(opened)
      throw QueueError(sqlite: code, kernel: kernel, path: path)
    }
    self.path = path
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, 5_000)
  }

  /// Creates the file if it is missing, for its owner alone: SQLite would let everybody read it. The files that
  /// SQLite puts beside it get the same mode. If this fails, opening it tells why.
  private static func create(_ path: String) {
    // One that is there is not opened: closing it again would drop this process's locks on it
    // (sqlite.org/howtocorrupt.html).
    var file = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    var status = stat()
    if file < 0, errno == EEXIST, unsafe stat(path, &status) != 0, errno == ENOENT {
      // A link to a file that is missing.
      file = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    }
    if file >= 0 { close(file) }
  }

  // The connection is closed when its statements are finalised, after this. The last one to a file also
  // merges the journal.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs statements once that return nothing.
  func execute(_ sql: String) throws(QueueError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Runs one statement to its end, or as long as further rows are wanted.
  /// - Parameters:
  ///   - values: for `?1`, `?2`, …
  ///   - longest: it stops at a row with a value of more bytes, which is not loaded; nil for SQLite's own limit.
  ///   - body: is called for each row of the result.
  /// - Returns: whether it has stopped at such a row.
  @discardableResult
  mutating func run(
    _ sql: String, _ values: SQLiteValue..., longest: Int? = nil,
    while isWanted: @autoclosure () -> Bool = true,
    body: (borrowing SQLiteRow) throws(QueueError) -> Void = { _ in }
  ) throws(QueueError) -> Bool {
    let statement = try statement(sql)
    // -1 changes nothing.
    let usual = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest.map { Int32(clamping: $0) } ?? -1)
    defer { unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, usual) }
    return try statement.run(values, while: { isWanted() }, endsAtLong: longest != nil, body: body)
  }

  /// The text or blob in `column` of the row `number` of `table`.
  /// - Parameter isWritable: whether it may be overwritten. Its length cannot change.
  func blob(
    _ table: String, _ column: String, of number: Int64, isWritable: Bool = false
  ) throws(QueueError) -> SQLiteBlob {
    var opened: OpaquePointer?
    let code = unsafe sqlite3_blob_open(handle, "main", table, column, number, isWritable ? 1 : 0, &opened)
    guard code == SQLITE_OK, let opened = unsafe opened else { throw failure(code) }
    let (path, handle) = unsafe (path, handle)
    return unsafe SQLiteBlob(opened) { code in
      QueueError(sqlite: code, kernel: unsafe sqlite3_system_errno(handle), path: path)
    }
  }

  /// The first column of the last row, as text; nil where there is none.
  mutating func value(_ sql: String) throws(QueueError) -> String? {
    var value: String?
    try run(sql) { row in value = row.text(0) }
    return value
  }

  private mutating func statement(_ sql: String) throws(QueueError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw failure(code) }
    let statement = unsafe SQLiteStatement(prepared, path: path)
    statements[sql] = statement
    return statement
  }

  /// The absolute path of the file, with all links resolved.
  var file: String {
    unsafe sqlite3_db_filename(handle, "main").map { unsafe String(cString: $0) } ?? path
  }

  /// Number of rows that the last statement has changed.
  var changes: Int { Int(unsafe sqlite3_changes64(handle)) }

  /// The number of the row that was inserted last.
  var lastNumber: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Starts a transaction as the only writer of the file.
  mutating func begin() throws(QueueError) {
    // Immediate: a transaction that starts as a reader cannot write once another process has written.
    try run("BEGIN IMMEDIATE")
  }

  /// All changes since `begin` are durable when this returns.
  mutating func commit() throws(QueueError) { try run("COMMIT") }

  /// Undoes all changes since `begin`.
  mutating func rollBack() {
    // Some failures have rolled back already.
    if unsafe sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
  }

  /// Whether the file was moved or deleted, so that other processes do not see what is written to it.
  var hasMoved: Bool {
    var hasMoved: Int32 = 0
    return unsafe sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK
      && hasMoved != 0
  }

  private func failure(_ code: Int32) -> QueueError {
    QueueError(sqlite: code, kernel: unsafe sqlite3_system_errno(handle), path: path)
  }
}
