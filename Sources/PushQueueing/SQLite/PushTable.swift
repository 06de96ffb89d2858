package import Queueing
internal import Supporting

/// Operations on the tables of a push queue's file.
package struct PushTable: SQLiteTable, ~Copyable {
  /// How many devices may have the same hash. In practice, no two do.
  private static let slots: Int64 = 8

  var connection: SQLiteConnection
  /// Counts of the transaction, added up so that each row is written once.
  private var counts: [CountKey: Int64] = [:]
  /// By how much the transaction changes the sum in `size`.
  private var growth: Int64 = 0
  /// The last number that `surplus` returned, or 0. Its next call goes on after it, because pushes without an
  /// answer stay. Only the logs know which pushes those are.
  var lastSurplus: Int64 = 0

  package init(path: String) throws(QueueError) {
    var connection = try SQLiteConnection(path: path)
    try PushSchema.prepare(&connection)
    self.connection = connection
  }

  package mutating func begin() throws(QueueError) {
    try connection.checkPlace()
    try connection.begin()
    counts.removeAll(keepingCapacity: true)
    growth = 0
  }

  package mutating func commit() throws(QueueError) {
    for (key, count) in counts {
      try connection.run(
        """
        INSERT INTO count (day, app, what, n) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (day, app, what) DO UPDATE SET n = n + excluded.n
        """,
        [.integer(Int64(key.day)), .text(key.app), .integer(Int64(key.statistic.rawValue)), .integer(count)])
    }
    if growth != 0 { try connection.run("UPDATE size SET bytes = bytes + ?1", [.integer(growth)]) }
    try connection.commit()
  }

  package mutating func rollBack() { connection.rollBack() }

  /// See `DeviceStore.update`.
  /// - Parameter keys: the beginning of a hash of each device.
  mutating func update<Result>(
    _ devices: [AppDevice], keys: [Int64], _ body: (Int, inout DeviceChange) -> Result
  ) throws(QueueError) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(devices.count)
    var next = try connection.rows("SELECT max(number) FROM push") { $0.integer(0) }.first ?? 0
    next = max(1, next + 1)
    for index in devices.indices {
      let row = try row(of: devices[index], key: keys[index])
      var change = DeviceChange(
        devices[index], log: row?.log, ends: row?.ends ?? 0, due: row?.due ?? 0, next: next)
      results.append(body(index, &change))
      next = change.next
      if change.isChanged { try save(change, over: row, key: keys[index]) }
      for (day, statistic, count) in change.counts {
        counts[CountKey(day: day, app: devices[index].app, statistic: statistic), default: 0] += count
      }
    }
    return results
  }

  private mutating func row(of device: AppDevice, key: Int64) throws(QueueError) -> DeviceRow? {
    var row: DeviceRow?
    var isDamaged = false
    try connection.run(
      """
      SELECT number, day, ends, due, log FROM device
      WHERE number BETWEEN ?1 AND ?1 + \(Self.slots - 1) AND name = ?2 AND app = ?3
      """, [.integer(key), .text(device.device), .text(device.app)]
    ) {
      guard let log = DeviceLog($0.bytes(4)) else { return isDamaged = true }
      row = DeviceRow(
        number: $0.integer(0), day: $0.integer(1), ends: $0.integer(2), due: $0.integer(3), log: log)
    }
    if isDamaged { throw damaged }
    return row
  }

  private mutating func save(
    _ change: DeviceChange, over row: DeviceRow?, key: Int64
  ) throws(QueueError) {
    let number: Int64
    if let row { number = row.number } else { number = try freeNumber(key, for: change) }
    for (state, push) in change.added {
      let content = PushContent(push).bytes
      try connection.run(
        "INSERT INTO push (number, device, content) VALUES (?1, ?2, ?3)",
        [.integer(state.number), .integer(number), .blob(content)])
      growth += Int64(content.count + PushSchema.overhead)
    }
    for state in change.dropped {
      let lengths = try connection.rows(
        "SELECT length(content) FROM push WHERE number = ?1", [.integer(state.number)]
      ) { $0.integer(0) }
      try connection.run("DELETE FROM push WHERE number = ?1", [.integer(state.number)])
      for length in lengths { growth -= length + Int64(PushSchema.overhead) }
    }
    guard let log = change.log else {
      try connection.run("DELETE FROM device WHERE number = ?1", [.integer(number)])
      return
    }
    let day = log.active / DeviceChange.day
    guard let row else {
      try connection.run(
        "INSERT INTO device (number, app, name, day, ends, due, log) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        [
          .integer(number), .text(change.device.app), .text(change.device.device), .integer(day),
          .integer(change.ends), .integer(change.due), .blob(log.bytes),
        ])
      return
    }
    // A separate statement, because one that names an indexed column also writes its index.
    if (row.day, row.ends, row.due) != (day, change.ends, change.due) {
      try connection.run(
        "UPDATE device SET day = ?2, ends = ?3, due = ?4 WHERE number = ?1",
        [.integer(number), .integer(day), .integer(change.ends), .integer(change.due)])
    }
    try connection.run(
      "UPDATE device SET log = ?2 WHERE number = ?1", [.integer(number), .blob(log.bytes)])
  }

  private mutating func freeNumber(_ key: Int64, for change: DeviceChange) throws(QueueError) -> Int64 {
    if change.log == nil { return key }
    let taken = try connection.rows(
      "SELECT number FROM device WHERE number BETWEEN ?1 AND ?1 + \(Self.slots - 1)", [.integer(key)]
    ) { $0.integer(0) }
    guard let free = (key..<key + Self.slots).first(where: { !taken.contains($0) }) else {
      throw .refused("the push queue \(connection.path) has no place for the device \(change.device.device)")
    }
    return free
  }

  var damaged: QueueError {
    .refused(
      "the push queue \(connection.path) is damaged: save what is left of it with 'sqlite3 \(connection.path) .recover'"
    )
  }

  /// The first number for a device. The next ones stay free for other devices with the same hash.
  static func key(of digest: [UInt8]) -> Int64 {
    Int64(truncatingIfNeeded: digest.integer(at: 0, 8) >> 2) & ~(slots - 1)
  }
}

private struct CountKey: Hashable {
  let day: Int
  let app: String
  let statistic: Statistic
}

private struct DeviceRow {
  let number, day, ends, due: Int64
  let log: DeviceLog
}
