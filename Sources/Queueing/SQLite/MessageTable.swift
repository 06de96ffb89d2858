internal import Supporting

/// Operations on the messages of a file, of which transactions are made.
struct MessageTable: ~Copyable {
  /// SQL for messages without a lease; `?2` is now, in milliseconds since 1970. A lease ending further ahead
  /// than any lease can was taken while the clock was wrong (for instance before NTP) and counts as expired.
  /// A clock that is set back by less than a lease ends none.
  static let freeCondition =
    "(leased_until <= ?2 OR leased_until > ?2 + \(2 * QueueLease.duration.milliseconds))"

  var connection: SQLiteConnection

  /// Opens the file at `path`, and creates it where it is missing.
  /// - Throws: `QueueError.refused` for a file that is not a queue and not empty.
  init(path: String) throws(QueueError) {
    var connection = try SQLiteConnection(path: path)
    try SQLiteSchema.prepare(&connection)
    self.connection = connection
  }

  /// Runs `body` as the only writer of the file. When this returns, all of it is durable; when it throws,
  /// nothing of it has happened.
  mutating func transaction<Value>(
    _ body: (inout MessageTable) throws(QueueError) -> Value
  ) throws(QueueError) -> Value {
    if connection.hasMoved {
      throw .unavailable(
        "\(connection.path) was moved or removed while it was in use: put it back, and it goes on by itself")
    }
    try connection.begin()
    do throws(QueueError) {
      let value = try body(&self)
      try connection.commit()
      return value
    } catch {
      connection.rollBack()
      throw error
    }
  }

  mutating func insert(_ message: Message, into queue: String) throws(QueueError) {
    try connection.run(
      "INSERT INTO message (queue, id, headers, body) VALUES (?1, ?2, ?3, ?4)",
      .text(queue), .text(message.id), .text(HeaderText.write(message.headers)), .blob(message.body))
  }

  /// Puts the oldest free messages on lease from `now` to `end`, both in milliseconds since 1970: at most
  /// `limit`, fewer if they are long.
  mutating func lease(
    _ limit: Int, of queue: String, from now: Int64, to end: Int64
  ) throws(QueueError) -> [Delivery] {
    var deliveries: [Delivery] = []
    // For its lease, SQLite rewrites the whole row and holds it twice: one that is too long for that is
    // shortened before.
    if try collect(&deliveries, limit, of: queue, at: now), deliveries.isEmpty {
      try shortenOldest(of: queue, at: now)
      _ = try collect(&deliveries, limit, of: queue, at: now)
    }
    for delivery in deliveries {
      try connection.run(
        """
        UPDATE message SET leased_until = ?2, receipt = ?3, attempts = max(1, min(attempts + 1, ?4))
        WHERE number = ?1
        """,
        .integer(Receipt.number(delivery.receipt)), .integer(end), .text(delivery.receipt),
        .integer(Int64(Delivery.maximumAttempt)))
    }
    return deliveries
  }

  /// Reads the oldest free messages.
  /// - Returns: whether it has stopped at one that is too long.
  private mutating func collect(
    _ deliveries: inout [Delivery], _ limit: Int, of queue: String, at now: Int64
  ) throws(QueueError) -> Bool {
    var found: [Delivery] = []
    var room = MessageLimits.maximumBatchSize
    // This queue keeps what was too long: it is handed out whole.
    let longest = queue.hasSuffix(MessageLimits.tooLongSuffix) ? Int.max : MessageLimits.maximumBatchSize
    let isLong = try connection.run(
      """
      SELECT number, id, headers, body, attempts FROM message
      WHERE queue = ?1 AND \(Self.freeCondition) ORDER BY number LIMIT ?3
      """, .text(queue), .integer(now), .integer(Int64(max(0, limit))), longest: longest,
      while: { room > 0 }
    ) { row in
      let message = Message(id: row.text(1), body: row.bytes(3), headers: HeaderText.read(row.text(2)))
      room -= message.size
      found.append(
        Delivery(
          message: message, attempt: Int(min(row.integer(4), Int64(Delivery.maximumAttempt))) + 1,
          receipt: Receipt(of: row.integer(0)).text))
    }
    deliveries = found
    return isLong
  }

  /// - Returns: whether the delivery is still held.
  mutating func extend(_ receipt: String, to end: Int64) throws(QueueError) -> Bool {
    try connection.run(
      "UPDATE message SET leased_until = ?3 WHERE number = ?1 AND receipt = ?2",
      .integer(Receipt.number(receipt)), .text(receipt), .integer(end))
    return connection.changes == 1
  }

  /// Undoes the hand-out, if the delivery is still held.
  mutating func release(_ receipt: String) throws(QueueError) {
    try connection.run(
      """
      UPDATE message SET leased_until = 0, receipt = '', attempts = max(attempts - 1, 0)
      WHERE number = ?1 AND receipt = ?2
      """, .integer(Receipt.number(receipt)), .text(receipt))
  }

  /// - Returns: whether the delivery was still held, so that its message is removed now.
  mutating func remove(_ receipt: String) throws(QueueError) -> Bool {
    try connection.run(
      "DELETE FROM message WHERE number = ?1 AND receipt = ?2",
      .integer(Receipt.number(receipt)), .text(receipt))
    return connection.changes == 1
  }

  /// How many messages there are, and how many of them are on lease at `now`, in milliseconds since 1970.
  /// Scans the index: 0.1 s for a million.
  mutating func count(of queue: String, at now: Int64) throws(QueueError) -> (all: Int, onLease: Int) {
    var counts = (all: 0, onLease: 0)
    try connection.run(
      "SELECT count(*), coalesce(sum(NOT \(Self.freeCondition)), 0) FROM message WHERE queue = ?1",
      .text(queue),
      .integer(now)
    ) { row in
      counts = (Int(row.integer(0)), Int(row.integer(1)))
    }
    return counts
  }

  mutating func isEmpty(_ queue: String) throws(QueueError) -> Bool {
    var isEmpty = true
    try connection.run("SELECT 1 FROM message WHERE queue = ?1 LIMIT 1", .text(queue)) { _ in isEmpty = false
    }
    return isEmpty
  }

  /// The oldest messages, on lease or not.
  mutating func list(_ limit: Int, of queue: String) throws(QueueError) -> [Message] {
    var messages: [Message] = []
    try connection.run(
      "SELECT id, headers, body FROM message WHERE queue = ?1 ORDER BY number LIMIT ?2",
      .text(queue), .integer(Int64(max(0, limit)))
    ) { row in
      messages.append(Message(id: row.text(0), body: row.bytes(2), headers: HeaderText.read(row.text(1))))
    }
    return messages
  }
}
