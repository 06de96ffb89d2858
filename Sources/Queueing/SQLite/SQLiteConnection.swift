internal import CSQLite
internal import Glibc

/// A connection to one database file. Closed with this value. Only one thread may use it at a time.
@safe package struct SQLiteConnection: ~Copyable {
  /// As the user wrote it.
  package let path: String
  private static let suffixes = ["-wal", "-shm"]
  private let handle: OpaquePointer
  /// Prepared statements by their text. Preparing one takes longer than running it.
  private var statements: [String: SQLiteStatement] = [:]
  /// The journal and its index (sqlite.org/walformat.html), as they were in the first transaction. Before that, another
  /// process may remove them when it closes the file.
  private var companions: [FileIdentity?]?

  /// Opens the file. Creates it if it is missing.
  package init(path: String) throws(QueueError) {
    // Without `./`, SQLite would interpret names such as `:memory:` and `file:x?mode=memory`.
    let name = path.hasPrefix("/") ? path : "./\(path)"
    Self.create(name)
    var opened: OpaquePointer?
    // NOMUTEX, because only one thread uses it at a time. EXRESCODE gives detailed error codes.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = unsafe sqlite3_open_v2(name, &opened, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe opened else {
      defer { unsafe sqlite3_close_v2(opened) }
      throw unsafe QueueError(sqlite: code, opened, path: path)
    }
    self.path = path
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, 5_000)
  }

  /// Creates a missing file that only its owner can access. SQLite would let everyone read it and
  /// the files beside it. If this fails, opening the file reports why.
  private static func create(_ path: String) {
    // Not an existing file: closing it would drop the locks on it (sqlite.org/howtocorrupt.html).
    let flags = O_RDWR | O_CREAT | O_CLOEXEC
    var file = unsafe Glibc.open(path, flags | O_EXCL, 0o600)
    // The path is a link to a missing file.
    if file < 0, errno == EEXIST, unsafe access(path, F_OK) != 0, errno == ENOENT {
      file = unsafe Glibc.open(path, flags, 0o600)
    }
    if file >= 0 { close(file) }
  }

  // Closes once its statements are finalized. Rolls back a transaction, and may merge the journal.
  deinit {
    if let companions, companions != currentCompanions {
      // Closing saves what is in the old journal, but deletes the new one. If others have written to the new one,
      // closing must not do either.
      var status = stat()
      if unsafe stat(file + "-wal", &status) == 0, status.st_size > 0 { unsafe keep_journal(handle) }
    }
    unsafe sqlite3_close_v2(handle)
  }

  private func failure(_ code: Int32) -> QueueError { unsafe QueueError(sqlite: code, handle, path: path) }

  private func check(_ code: Int32, is expected: Int32 = SQLITE_OK) throws(QueueError) {
    guard code == expected else { throw failure(code) }
  }

  /// Runs statements that return nothing.
  package func execute(_ sql: String) throws(QueueError) {
    try check(unsafe sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Runs one statement to its end, or until no more rows are wanted.
  /// - Parameters:
  ///   - values: the values for `?1`, `?2`, …
  ///   - longest: stops before a row with a value of more bytes. Nil means SQLite's own limit.
  /// - Returns: whether it stopped before such a row.
  @discardableResult
  package mutating func run(
    _ sql: String, _ values: [SQLiteValue] = [], longest: Int? = nil,
    while isWanted: @autoclosure () -> Bool = true, body: (SQLiteStatement) -> Void = { _ in }
  ) throws(QueueError) -> Bool {
    let statement = try statement(sql)
    // -1 leaves the limit unchanged.
    let usual = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, longest.map { Int32(clamping: $0) } ?? -1)
    defer {
      statement.reset()
      unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, usual)
    }
    for (index, value) in values.enumerated() { try check(statement.bind(value, at: Int32(index + 1))) }
    while isWanted() {
      let code = statement.step()
      if code == SQLITE_DONE { return false }
      if code == SQLITE_TOOBIG, longest != nil { return true }
      try check(code, is: SQLITE_ROW)
      body(statement)
    }
    return false
  }

  package mutating func rows<Value>(
    _ sql: String, _ values: [SQLiteValue] = [], _ body: (SQLiteStatement) -> Value
  ) throws(QueueError) -> [Value] {
    var rows: [Value] = []
    try run(sql, values) { rows.append(body($0)) }
    return rows
  }

  /// The first column of the last row as text, or nil if there are no rows.
  package mutating func value(_ sql: String, _ values: [SQLiteValue] = []) throws(QueueError) -> String? {
    try rows(sql, values) { $0.text(0) }.last
  }

  private mutating func statement(_ sql: String) throws(QueueError) -> SQLiteStatement {
    if let statement = statements[sql] { return statement }
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw failure(code) }
    let statement = unsafe SQLiteStatement(prepared)
    statements[sql] = statement
    return statement
  }

  /// A text or blob of the message `number`.
  /// - Parameter isWritable: whether the value may be overwritten. Its length cannot change.
  func blob(_ column: String, of number: Int64, isWritable: Bool = false) throws(QueueError) -> SQLiteBlob {
    var opened: OpaquePointer?
    let code = unsafe sqlite3_blob_open(
      handle, "main", "message", column, number, isWritable ? 1 : 0, &opened)
    guard code == SQLITE_OK, let opened = unsafe opened else { throw failure(code) }
    return unsafe SQLiteBlob(opened, of: handle, path: path)
  }

  /// The absolute path of the file, with all links resolved.
  var file: String { unsafe sqlite3_db_filename(handle, "main").map { unsafe String(cString: $0) } ?? path }

  /// How many rows the last statement changed.
  package var changes: Int { Int(unsafe sqlite3_changes64(handle)) }
  /// The number of the last inserted row.
  var lastNumber: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  /// Starts a transaction as the only writer. One that starts as a reader can no longer write once
  /// another process has written.
  package mutating func begin() throws(QueueError) {
    try run("BEGIN IMMEDIATE")
    guard companions == nil else { return }
    let found = currentCompanions
    // They are missing until the layout has switched the journal on.
    if !found.contains(nil) { companions = found }
  }

  private var currentCompanions: [FileIdentity?] { Self.suffixes.map { FileIdentity(of: file + $0) } }

  /// - Throws: `QueueError.unavailable` if the file, its journal or the index is no longer at its place.
  ///   `QueueError.refused` if others have made a new journal or index.
  package func checkPlace() throws(QueueError) {
    let (hasMoved, found) = (hasMoved, currentCompanions)
    guard hasMoved || found != companions ?? found else { return }
    if !hasMoved, !found.contains(nil) {
      throw .refused(
        "\(path)-wal or \(path)-shm was removed while it was in use, and others use a new one: start again, and leave these files in place"
      )
    }
    let missing = hasMoved ? nil : zip(Self.suffixes, found).first { $1 == nil }?.0
    throw .unavailable(
      "\(path)\(missing ?? "") was moved or removed while it was in use: put it back (workers then resume by themselves)"
    )
  }

  package mutating func commit() throws(QueueError) { try run("COMMIT") }

  /// Undoes all changes since `begin`, unless a failure has already undone them.
  package mutating func rollBack() {
    if unsafe sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
  }

  /// Whether the file was moved or deleted. If so, others do not see what is written to it.
  var hasMoved: Bool {
    var hasMoved: Int32 = 0
    return unsafe sqlite3_file_control(handle, nil, SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK
      && hasMoved != 0
  }
}
