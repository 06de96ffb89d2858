internal import CSQLite

/// A prepared statement, finalized with this object. Used by the thread that uses the connection.
@safe package final class SQLiteStatement {
  private let handle: OpaquePointer

  /// Takes over `handle`.
  @unsafe init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Sets the parameter `?index`. Like `step`, returns a result code of SQLite.
  func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .integer(let number): unsafe sqlite3_bind_int64(handle, index, number)
    case .text(let text):
      unsafe ByteEscapedText.bytes(text).withUnsafeBytes { bytes in
        unsafe bind_text(handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
      }
    case .blob(let bytes):
      unsafe bytes.withUnsafeBytes { unsafe bind_blob(handle, index, $0.baseAddress, $0.count) }
    }
  }

  /// Moves to the next row.
  func step() -> Int32 { unsafe sqlite3_step(handle) }

  /// Releases the values. Otherwise the statement would keep the last payload in memory.
  func reset() {
    // Both calls only repeat the error of the last step.
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  /// A column of the current row. The first is 0.
  package func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// Any bytes, escaped by `ByteEscapedText`; empty for NULL.
  package func text(_ column: Int32) -> String { ByteEscapedText.text(bytes(column)) }

  package func bytes(_ column: Int32) -> [UInt8] {
    // Order matters: the first call may convert the bytes, which changes their count.
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}

package enum SQLiteValue {
  case integer(Int64)
  /// Any bytes, escaped by `ByteEscapedText`.
  case text(String)
  case blob([UInt8])
}
