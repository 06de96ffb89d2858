internal import CSQLite

/// A text or blob of one row, read piece by piece (sqlite.org/c3ref/blob_open.html); closed with this value.
/// Expires when the row is changed in another way.
@safe struct SQLiteBlob: ~Copyable {
  private static let pieceLength = 65_536

  private let handle: OpaquePointer
  private let failure: (Int32) -> QueueError

  /// Takes `handle` over.
  /// - Parameter failure: what a result code means.
  @unsafe init(_ handle: OpaquePointer, failure: @escaping (Int32) -> QueueError) {
    unsafe self.handle = handle
    self.failure = failure
  }

  deinit { unsafe sqlite3_blob_close(handle) }

  /// The length in bytes, also of text.
  var count: Int { Int(unsafe sqlite3_blob_bytes(handle)) }

  /// The first `limit` bytes, or as many as there are.
  func prefix(_ limit: Int) throws(QueueError) -> [UInt8] { try bytes(0..<min(limit, count)) }

  /// Overwrites the beginning of this value with all of `source`.
  /// - Parameter source: not longer than this value.
  func write(contentsOf source: borrowing SQLiteBlob) throws(QueueError) {
    for start in stride(from: 0, to: source.count, by: Self.pieceLength) {
      let piece = try source.bytes(start..<min(start + Self.pieceLength, source.count))
      try check(unsafe sqlite3_blob_write(handle, piece, Int32(piece.count), Int32(start)))
    }
  }

  private func bytes(_ range: Range<Int>) throws(QueueError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    try check(unsafe sqlite3_blob_read(handle, &bytes, Int32(range.count), Int32(range.lowerBound)))
    return bytes
  }

  private func check(_ code: Int32) throws(QueueError) {
    guard code == SQLITE_OK else { throw failure(code) }
  }
}
