/// Messages that are too long to be held in memory.
extension MessageTable {
  /// Shortens the oldest free message. Each value of it that is longer than `MessageLimits.maximumBatchSize`
  /// is moved whole into the queue `NAME-too-long`, as the body of a message with the same id and the header
  /// `part`. In its place remains what is handed out of it. Takes little memory, however long the message is.
  mutating func shortenOldest(of queue: String) throws(QueueError) {
    var oldest: (number: Int64, attempts: Int64)?
    try connection.run(
      "SELECT number, attempts FROM message WHERE queue = ?1 AND owner <= 0 ORDER BY number LIMIT 1",
      .text(queue)
    ) { row in oldest = (row.integer(0), row.integer(1)) }
    guard let (number, attempts) = oldest else { return }
    let id = ByteEscapedText.text(try prefix(of: "id", number))
    var headers = ByteEscapedText.text(try prefix(of: "headers", number))
    let body = try prefix(of: "body", number)
    for column in ["id", "headers", "body"] {
      guard let length = try putAside(column, of: number, from: queue, id: id) else { continue }
      if column == "headers" {
        headers = HeaderText.write([Header(Message.truncatedHeadersName, "\(length)")])
      }
    }
    try connection.run("DELETE FROM message WHERE number = ?1", .integer(number))
    try connection.run(
      "INSERT INTO message (number, queue, id, attempts, headers, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
      .integer(number), .text(queue), .text(id), .integer(attempts), .text(headers), .blob(body))
  }

  /// The whole value, or the beginning of one that is too long.
  private func prefix(of column: String, _ number: Int64) throws(QueueError) -> [UInt8] {
    let value = try connection.blob("message", column, of: number)
    return try value.prefix(
      value.count > MessageLimits.maximumBatchSize
        ? MessageLimits.maximumBodySize : MessageLimits.maximumBatchSize)
  }

  /// - Returns: the length in bytes; nil for a value that is not too long.
  private mutating func putAside(
    _ column: String, of number: Int64, from queue: String, id: String
  ) throws(QueueError) -> Int? {
    let value = try connection.blob("message", column, of: number)
    guard value.count > MessageLimits.maximumBatchSize else { return nil }
    try connection.run(
      "INSERT INTO message (queue, id, headers, body) VALUES (?1, ?2, ?3, zeroblob(?4))",
      .text(queue + MessageLimits.tooLongSuffix), .text(id),
      .text(HeaderText.write([Header("part", column)])),
      .integer(Int64(value.count)))
    let kept = try connection.blob("message", "body", of: connection.lastNumber, isWritable: true)
    do throws(QueueError) {
      // On one connection, after each write SQLite would search for the next read's position from the
      // beginning.
      let reader = try SQLiteConnection(path: connection.path)
      try reader.execute("PRAGMA cache_size = -64")
      try kept.write(contentsOf: reader.blob("message", column, of: number))
    } catch {
      // The other connection does not see a row that this transaction has inserted.
      try kept.write(contentsOf: value)
    }
    return value.count
  }
}
