internal import Supporting

/// Messages that are put aside until they are due.
extension MessageTable {
  private static let columns = "number, queue, id, headers, body"

  /// Puts the message of a delivery aside. Returns false if the delivery is no longer held.
  mutating func postpone(_ receipt: String, until due: Int64, line: String) throws(QueueError) -> Bool {
    try connection.run(
      """
      INSERT INTO postponed (\(Self.columns), attempts, due, line)
      SELECT \(Self.columns), max(attempts - 1, 0), ?2, ?3 FROM message
      WHERE number = CAST(?1 AS INTEGER) AND receipt = ?1
      """, [.text(receipt), .integer(due), .text(line)])
    return try remove(receipt)
  }

  /// Puts up to `limit` due messages back to where they were in the queue.
  mutating func takeBackDue(_ limit: Int, of queue: String) throws(QueueError) {
    let due = try connection.rows(
      "SELECT number FROM postponed WHERE queue = ?1 AND due <= ?2 ORDER BY due, number LIMIT ?3",
      [.text(queue), .integer(WallClock.milliseconds), .integer(Int64(max(0, limit)))]
    ) { $0.integer(0) }
    for number in due {
      try connection.run(
        """
        INSERT INTO message (\(Self.columns), attempts)
        SELECT \(Self.columns), attempts FROM postponed WHERE number = ?1
        """, [.integer(number)])
      try connection.run("DELETE FROM postponed WHERE number = ?1", [.integer(number)])
    }
  }

  /// Returns when the last message of the line that is put aside ahead of the delivery is due. Compares
  /// positions in the queue, not times: if many messages come due at once, one can be due and still be put
  /// aside.
  mutating func due(before receipt: String, line: String, in queue: String) throws(QueueError) -> Int64? {
    try connection.rows(
      """
      SELECT due FROM postponed WHERE queue = ?1 AND line = ?2 AND line != '' AND number < CAST(?3 AS INTEGER)
      ORDER BY number DESC LIMIT 1
      """,
      [.text(queue), .text(line), .text(receipt)]
    ) { $0.integer(0) }.first
  }
}
