/// Messages that are too long to be held in memory.
extension MessageTable {
  /// Shortens the oldest free message. Moves each value longer than
  /// `MessageLimits.maximumBatchSize` to the queue `NAME-too-long`, as the body of a message with
  /// the same id and the header `part`.
  mutating func shortenOldest(of queue: String) throws(QueueError) {
    let oldest = try connection.rows(
      "SELECT number, attempts FROM message WHERE queue = ?1 AND owner <= 0 ORDER BY number LIMIT 1",
      [.text(queue)]
    ) { ($0.integer(0), $0.integer(1)) }
    guard let (number, attempts) = oldest.first else { return }
    let id = ByteEscapedText.text(try shorten("id", of: number, from: queue).bytes)
    let (start, length) = try shorten("headers", of: number, from: queue, id: id)
    let cut = length.map { HeaderText.write([Header(Message.truncatedHeadersName, "\($0)")]) }
    let headers = cut ?? ByteEscapedText.text(start)
    let body = try shorten("body", of: number, from: queue, id: id).bytes
    try connection.run("DELETE FROM message WHERE number = ?1", [.integer(number)])
    try connection.run(
      "INSERT INTO message (number, queue, id, attempts, headers, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
      [.integer(number), .text(queue), .text(id), .integer(attempts), .text(headers), .blob(body)])
  }

  /// Returns the whole value or, if it is too long, its beginning and its length in bytes.
  /// - Parameter id: the id of the message, or nil when shortening the id itself.
  private mutating func shorten(
    _ column: String, of number: Int64, from queue: String, id: String? = nil
  ) throws(QueueError) -> (bytes: [UInt8], length: Int?) {
    let value = try connection.blob(column, of: number)
    if value.count <= MessageLimits.maximumBatchSize { return (try value.bytes(0..<value.count), nil) }
    let start = try value.bytes(0..<MessageLimits.maximumBodySize)
    try connection.run(
      "INSERT INTO message (queue, id, headers, body) VALUES (?1, ?2, ?3, zeroblob(?4))",
      [
        .text(queue + MessageLimits.tooLongSuffix), .text(id ?? ByteEscapedText.text(start)),
        .text(HeaderText.write([Header("part", column)])), .integer(Int64(value.count)),
      ])
    let kept = try connection.blob("body", of: connection.lastNumber, isWritable: true)
    do throws(QueueError) {
      // On one connection, SQLite would search from the beginning of the value after each write.
      let reader = try SQLiteConnection(path: connection.path)
      try reader.execute("PRAGMA cache_size = -64")
      try kept.write(contentsOf: reader.blob(column, of: number))
    } catch {
      // The other connection does not see a row that this transaction inserted.
      try kept.write(contentsOf: value)
    }
    return (start, value.count)
  }
}
