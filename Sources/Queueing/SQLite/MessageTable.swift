/// Operations on the messages of a file. A transaction is made up of them.
package struct MessageTable: SQLiteTable, ~Copyable {
  var connection: SQLiteConnection
  private var owner: LeaseOwner

  /// - Throws: `QueueError.refused` if the file is neither a queue nor empty.
  package init(path: String) throws(QueueError) {
    var connection = try SQLiteConnection(path: path)
    try SQLiteSchema.prepare(&connection)
    owner = try LeaseOwner(of: connection.file)
    self.connection = connection
  }

  package mutating func begin() throws(QueueError) {
    try connection.checkPlace()
    try owner.keep(of: connection.file)
    try connection.begin()
  }

  package mutating func commit() throws(QueueError) { try connection.commit() }
  package mutating func rollBack() { connection.rollBack() }

  mutating func insert(_ message: Message, into queue: String) throws(QueueError) {
    try connection.run(
      "INSERT INTO message (queue, id, headers, body) VALUES (?1, ?2, ?3, ?4)",
      [.text(queue), .text(message.id), .text(HeaderText.write(message.headers)), .blob(message.body)])
  }

  /// Puts up to `limit` of the oldest free messages on lease. Takes fewer if they are long.
  mutating func lease(_ limit: Int, of queue: String) throws(QueueError) -> [Delivery] {
    try endLeasesOfTheDead()
    try takeBackDue(limit, of: queue)
    var (deliveries, isLong) = try oldest(limit, of: queue)
    // To lease a row, SQLite rewrites it and holds it twice, so a long row is shortened first.
    if isLong, deliveries.isEmpty {
      try shortenOldest(of: queue)
      deliveries = try oldest(limit, of: queue).deliveries
    }
    for delivery in deliveries {
      try connection.run(
        """
        UPDATE message SET owner = ?2, receipt = ?1, attempts = max(1, min(attempts + 1, ?3))
        WHERE number = CAST(?1 AS INTEGER)
        """,
        [.text(delivery.receipt), .integer(owner.number), .integer(Int64(Delivery.maximumAttempt))])
    }
    return deliveries
  }

  /// Frees the messages of ended processes. Asks the kernel once for each process.
  private mutating func endLeasesOfTheDead() throws(QueueError) {
    // The same condition as in the index, so that SQLite can use it.
    let owners = try connection.rows("SELECT DISTINCT owner FROM message WHERE owner > 0") { $0.integer(0) }
    for other in owners where !owner.isAlive(other) {
      try connection.run("UPDATE message SET owner = 0 WHERE owner > 0 AND owner = ?1", [.integer(other)])
    }
  }

  /// The id of a message. If another program has left it empty, the number of the row, which stays the same.
  private static let id = "iif(id = '', CAST(number AS TEXT), id)"

  /// Returns the oldest free messages, and whether the next one is too long.
  private mutating func oldest(
    _ limit: Int, of queue: String
  ) throws(QueueError) -> (deliveries: [Delivery], isLong: Bool) {
    var deliveries: [Delivery] = []
    var room = MessageLimits.maximumBatchSize
    // The `-too-long` queue keeps values that were too long, and hands them out whole.
    let longest = queue.hasSuffix(MessageLimits.tooLongSuffix) ? Int.max : MessageLimits.maximumBatchSize
    let isLong = try connection.run(
      """
      SELECT number, \(Self.id), headers, body, attempts FROM message
      WHERE queue = ?1 AND owner <= 0 ORDER BY number LIMIT ?2
      """, [.text(queue), .integer(Int64(max(0, limit)))], longest: longest, while: room > 0
    ) { row in
      let message = Message(id: row.text(1), body: row.bytes(3), headers: HeaderText.read(row.text(2)))
      room -= message.size
      // The number of the row and 64 random bits, new for each hand-out.
      let receipt = "\(row.integer(0))-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
      let attempts = Int(min(row.integer(4), Int64(Delivery.maximumAttempt)))
      deliveries.append(Delivery(message: message, attempt: attempts + 1, receipt: receipt))
    }
    return (deliveries, isLong)
  }

  mutating func holds(_ receipt: String) throws(QueueError) -> Bool {
    try connection.value(
      "SELECT 1 FROM message WHERE number = CAST(?1 AS INTEGER) AND receipt = ?1", [.text(receipt)]) != nil
  }

  /// Undoes the hand-out if the delivery is still held.
  mutating func release(_ receipt: String) throws(QueueError) {
    try connection.run(
      """
      UPDATE message SET owner = 0, receipt = '', attempts = max(attempts - 1, 0)
      WHERE number = CAST(?1 AS INTEGER) AND receipt = ?1
      """, [.text(receipt)])
  }

  /// Removes the message of a delivery. Returns false if the delivery is no longer held.
  mutating func remove(_ receipt: String) throws(QueueError) -> Bool {
    try connection.run(
      "DELETE FROM message WHERE number = CAST(?1 AS INTEGER) AND receipt = ?1", [.text(receipt)])
    return connection.changes == 1
  }

  /// Scans the index, which takes 0.1 s for a million messages. Reports no age, because rows have no time.
  mutating func backlog(of queue: String) throws(QueueError) -> Backlog? {
    try connection.rows(
      "SELECT count(*), coalesce(sum(owner > 0), 0) FROM message WHERE queue = ?1", [.text(queue)]
    ) { Backlog(waiting: Int($0.integer(0) - $0.integer(1)), onLease: Int($0.integer(1))) }.first
  }

  mutating func isEmpty(_ queue: String) throws(QueueError) -> Bool {
    try connection.value("SELECT 1 FROM message WHERE queue = ?1 LIMIT 1", [.text(queue)]) == nil
  }

  /// The oldest messages, whether on lease or not.
  mutating func list(_ limit: Int, of queue: String) throws(QueueError) -> [Message] {
    try connection.rows(
      "SELECT \(Self.id), headers, body FROM message WHERE queue = ?1 ORDER BY number LIMIT ?2",
      [.text(queue), .integer(Int64(max(0, limit)))]
    ) { Message(id: $0.text(0), body: $0.bytes(2), headers: HeaderText.read($0.text(1))) }
  }
}
