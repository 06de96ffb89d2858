/// Operations on the messages of a file, of which transactions are made.
struct MessageTable: ~Copyable {
  var connection: SQLiteConnection
  /// Holds the leases of this process.
  private var owner: LeaseOwner

  /// Opens the file at `path`, and creates it where it is missing.
  /// - Throws: `QueueError.refused` for a file that is not a queue and not empty.
  init(path: String) throws(QueueError) {
    var connection = try SQLiteConnection(path: path)
    try SQLiteSchema.prepare(&connection)
    owner = try LeaseOwner(of: connection.file)
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
    try owner.keep(of: connection.file)
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

  /// Puts the oldest free messages on lease: at most `limit`, fewer if they are long.
  mutating func lease(_ limit: Int, of queue: String) throws(QueueError) -> [Delivery] {
    try endLeasesOfTheDead()
    var deliveries: [Delivery] = []
    // For its lease, SQLite rewrites the whole row and holds it twice: one that is too long for that is
    // shortened before.
    if try collect(&deliveries, limit, of: queue), deliveries.isEmpty {
      try shortenOldest(of: queue)
      _ = try collect(&deliveries, limit, of: queue)
    }
    for delivery in deliveries {
      try connection.run(
        """
        UPDATE message SET owner = ?2, receipt = ?3, attempts = max(1, min(attempts + 1, ?4))
        WHERE number = ?1
        """,
        .integer(Self.number(delivery.receipt)), .integer(owner.number), .text(delivery.receipt),
        .integer(Int64(Delivery.maximumAttempt)))
    }
    return deliveries
  }

  /// Frees what processes had that have ended. Asks the kernel once for each process, not for each message.
  private mutating func endLeasesOfTheDead() throws(QueueError) {
    var holders: [Int64] = []
    // The condition is the one of the index.
    try connection.run("SELECT DISTINCT owner FROM message WHERE owner > 0") { holders.append($0.integer(0)) }
    for holder in holders where !owner.isAlive(holder) {
      try connection.run("UPDATE message SET owner = 0 WHERE owner > 0 AND owner = ?1", .integer(holder))
    }
  }

  /// Reads the oldest free messages.
  /// - Returns: whether it has stopped at one that is too long.
  private mutating func collect(
    _ deliveries: inout [Delivery], _ limit: Int, of queue: String
  ) throws(QueueError) -> Bool {
    var found: [Delivery] = []
    var room = MessageLimits.maximumBatchSize
    // This queue keeps what was too long: it is handed out whole.
    let longest = queue.hasSuffix(MessageLimits.tooLongSuffix) ? Int.max : MessageLimits.maximumBatchSize
    let isLong = try connection.run(
      """
      SELECT number, id, headers, body, attempts FROM message
      WHERE queue = ?1 AND owner <= 0 ORDER BY number LIMIT ?2
      """, .text(queue), .integer(Int64(max(0, limit))), longest: longest,
      while: room > 0
    ) { row in
      let message = Message(id: row.text(1), body: row.bytes(3), headers: HeaderText.read(row.text(2)))
      room -= message.size
      found.append(
        Delivery(
          message: message, attempt: Int(min(row.integer(4), Int64(Delivery.maximumAttempt))) + 1,
          receipt: Self.receipt(of: row.integer(0))))
    }
    deliveries = found
    return isLong
  }

  /// Whether the delivery is still held.
  mutating func holds(_ receipt: String) throws(QueueError) -> Bool {
    var isHeld = false
    try connection.run(
      "SELECT 1 FROM message WHERE number = ?1 AND receipt = ?2",
      .integer(Self.number(receipt)), .text(receipt)
    ) { _ in isHeld = true }
    return isHeld
  }

  /// Undoes the hand-out, if the delivery is still held.
  mutating func release(_ receipt: String) throws(QueueError) {
    try connection.run(
      """
      UPDATE message SET owner = 0, receipt = '', attempts = max(attempts - 1, 0)
      WHERE number = ?1 AND receipt = ?2
      """, .integer(Self.number(receipt)), .text(receipt))
  }

  /// - Returns: whether the delivery was still held, so that its message is removed now.
  mutating func remove(_ receipt: String) throws(QueueError) -> Bool {
    try connection.run(
      "DELETE FROM message WHERE number = ?1 AND receipt = ?2",
      .integer(Self.number(receipt)), .text(receipt))
    return connection.changes == 1
  }

  /// How many messages there are, and how many of them are on lease. Scans the index: 0.1 s for a million.
  mutating func count(of queue: String) throws(QueueError) -> (all: Int, onLease: Int) {
    var counts = (all: 0, onLease: 0)
    try connection.run(
      "SELECT count(*), coalesce(sum(owner > 0), 0) FROM message WHERE queue = ?1", .text(queue)
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

  /// Identifies a hand-out: the number of the message's row, and 64 random bits, new with each hand-out.
  private static func receipt(of number: Int64) -> String {
    "\(number)-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
  }

  /// The number of the message; 0, which no message has, for text that is not a valid receipt.
  private static func number(_ receipt: String) -> Int64 {
    receipt.split(separator: "-").first.flatMap { Int64($0) } ?? 0
  }
}
