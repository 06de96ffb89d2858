internal import CSQLite

/// A text or blob of one row, read piece by piece (sqlite.org/c3ref/blob_open.html). Closed with
/// this value. Expires if the row is changed in another way.
@safe struct SQLiteBlob: ~Copyable {
  private let handle, connection: OpaquePointer
  private let path: String

  /// Takes over `handle`.
  @unsafe init(_ handle: OpaquePointer, of connection: OpaquePointer, path: String) {
    unsafe self.handle = handle
    unsafe self.connection = connection
    self.path = path
  }

  deinit { unsafe sqlite3_blob_close(handle) }

  /// The length in bytes, even of text.
  var count: Int { Int(unsafe sqlite3_blob_bytes(handle)) }

  /// Overwrites the beginning of this value with `source`, which must not be longer than it.
  func write(contentsOf source: borrowing SQLiteBlob) throws(QueueError) {
    for start in stride(from: 0, to: source.count, by: 65_536) {
      let piece = try source.bytes(start..<min(start + 65_536, source.count))
      try check(unsafe sqlite3_blob_write(handle, piece, Int32(piece.count), Int32(start)))
    }
  }

  func bytes(_ range: Range<Int>) throws(QueueError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    try check(unsafe sqlite3_blob_read(handle, &bytes, Int32(range.count), Int32(range.lowerBound)))
    return bytes
  }

  private func check(_ code: Int32) throws(QueueError) {
    guard code == SQLITE_OK else { throw unsafe QueueError(sqlite: code, connection, path: path) }
  }
}
