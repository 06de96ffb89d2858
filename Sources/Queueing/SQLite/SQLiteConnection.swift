internal import CSQLite
internal import Glibc

/// A connection to one database file; closed with this value. Used by one thread at a time.
@safe struct SQLiteConnection: ~Copyable {
  /// As the user wrote it.
  let path: String
  private let handle: OpaquePointer
  /// Kept by their text: making one takes longer than running it.
  private var statements: [String: SQLiteStatement] = [:]

  /// Opens the file, and creates it where it is missing.
  /// - Throws: `QueueError.refused` for what will never be opened.
  init(path: String) throws(QueueError) {
    // Names such as `:memory:` and `file:x?mode=memory` mean something else to SQLite; behind a `./` they are files.
    let name = path.hasPrefix("/") ? path : "./\(path)"
    var opened: OpaquePointer?
    // One thread at a time: SQLite need not lock. The last flag has it say exactly what is wrong.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
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

  // Waits for the statements, which end after it. The last connection to a file also brings the journal home into it.
  deinit { unsafe sqlite3_close_v2(handle) }

  /// Runs statements that are not needed again and return nothing.
  func execute(_ sql: String) throws(QueueError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Runs one statement.
  /// - Parameters:
  ///   - values: for `?1`, `?2`, …
  ///   - body: is called for each row of the result.
  mutating func run(
    _ sql: String, _ values: SQLiteValue...,
    body: (borrowing SQLiteRow) throws(QueueError) -> Void = { _ in }
  ) throws(QueueError) {
    _ = try statement(sql).run(values, body: body)
  }

  /// The same, as long as `isWanted` says that another row is, and none has a value of more than `longest` bytes. Such a value is not
  /// loaded.
  /// - Returns: whether it has ended at such a row.
  mutating func run(
    _ sql: String, _ values: SQLiteValue..., longest: Int, while isWanted: () -> Bool,
    body: (borrowing SQLiteRow) throws(QueueError) -> Void
  ) throws(QueueError) -> Bool {
    let statement = try statement(sql)
    let usual = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: longest))
    defer { unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, usual) }
    return try statement.run(values, while: isWanted, endsAtLong: true, body: body)
  }

  /// The text or blob in `column` of the row `number` of `table`.
  /// - Parameter isWritable: whether it may be written to, in the length that it has.
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

  /// How many rows the last statement has changed.
  var changes: Int { Int(unsafe sqlite3_changes64(handle)) }

  /// The number of the row that was inserted last.
  var lastNumber: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Starts a transaction as the only writer of the file.
  mutating func begin() throws(QueueError) {
    // Immediate, because a reader that wants to write later is refused if somebody else has written meanwhile.
    try run("BEGIN IMMEDIATE")
  }

  /// All since `begin` is durable when this returns.
  mutating func commit() throws(QueueError) { try run("COMMIT") }

  /// Nothing since `begin` has happened.
  mutating func rollBack() {
    // Some failures have rolled back by themselves; then there is nothing left to roll back.
    if unsafe sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
  }

  /// Whether the file is not under its name any more: what is written into it then is lost to everybody else.
  var hasMoved: Bool {
    var hasMoved: Int32 = 0
    return unsafe sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK
      && hasMoved != 0
  }

  private func failure(_ code: Int32) -> QueueError {
    QueueError(sqlite: code, kernel: unsafe sqlite3_system_errno(handle), path: path)
  }
}
