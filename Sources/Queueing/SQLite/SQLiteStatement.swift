internal import CSQLite

/// A prepared statement; finalised with this object. Used by the thread that uses its connection.
@safe final class SQLiteStatement {
  private let handle: OpaquePointer
  private let path: String

  /// Takes `handle` over.
  @unsafe init(_ handle: OpaquePointer, path: String) {
    unsafe self.handle = handle
    self.path = path
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// As `SQLiteConnection.run`.
  /// - Parameter endsAtLong: whether to stop at a value that exceeds the length limit, instead of failing.
  func run(
    _ values: [SQLiteValue], while isWanted: () -> Bool, endsAtLong: Bool,
    body: (borrowing SQLiteRow) throws(QueueError) -> Void
  ) throws(QueueError) -> Bool {
    // Values are released at once: otherwise the statement keeps the last payload in memory. Both calls only
    // repeat the error of the last step.
    defer {
      unsafe sqlite3_reset(handle)
      unsafe sqlite3_clear_bindings(handle)
    }
    for (index, value) in values.enumerated() {
      let code = bind(value, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw failure(code) }
    }
    let row = unsafe SQLiteRow(handle)
    while isWanted() {
      let code = unsafe sqlite3_step(handle)
      if code == SQLITE_DONE { return false }
      if code == SQLITE_TOOBIG, endsAtLong { return true }
      guard code == SQLITE_ROW else { throw failure(code) }
      try body(row)
    }
    return false
  }

  private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .integer(let number):
      unsafe sqlite3_bind_int64(handle, index, number)
    case .text(let text):
      unsafe ByteEscapedText.bytes(text).withUnsafeBytes { bytes in
        unsafe bind_text(handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
      }
    case .blob(let bytes):
      unsafe bytes.withUnsafeBytes { unsafe bind_blob(handle, index, $0.baseAddress, $0.count) }
    }
  }

  private func failure(_ code: Int32) -> QueueError {
    QueueError(sqlite: code, kernel: unsafe sqlite3_system_errno(sqlite3_db_handle(handle)), path: path)
  }
}

/// A value bound to a statement.
enum SQLiteValue {
  case integer(Int64)
  /// Any bytes, escaped by `ByteEscapedText`.
  case text(String)
  case blob([UInt8])
}

/// The current row of a statement, valid only during a call. Columns count from 0.
@safe struct SQLiteRow: ~Copyable {
  private let statement: OpaquePointer

  @unsafe fileprivate init(_ statement: OpaquePointer) { unsafe self.statement = statement }

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

  /// Text, whose bytes may not be UTF-8, escaped by `ByteEscapedText`; empty for NULL.
  func text(_ column: Int32) -> String { ByteEscapedText.text(bytes(column)) }

  /// Empty for NULL.
  func bytes(_ column: Int32) -> [UInt8] {
    // In this order: reading the bytes may convert them, which changes their count.
    let start = unsafe sqlite3_column_blob(statement, column)
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    guard let start = unsafe start else { return [] }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
