internal import Queueing

extension PushTable {
  mutating func contents(of numbers: [Int64]) throws(QueueError) -> [PushContent?] {
    try numbers.map { (number) throws(QueueError) in
      let bytes = try connection.rows("SELECT content FROM push WHERE number = ?1", [.integer(number)]) {
        $0.bytes(0)
      }
      guard let bytes = bytes.first else { return nil }
      guard let content = PushContent(bytes) else { throw damaged }
      return content
    }
  }

  /// Includes times far in the future: they come from a clock that was later set back.
  mutating func due(at now: Int64, limit: Int) throws(QueueError) -> [AppDevice] {
    try devices(
      "due > 0 AND (due <= ?1 OR due > ?1 + \(2 * PushQueueLimits.resendLease)) ORDER BY due", now, limit)
  }

  mutating func ended(at now: Int64, limit: Int) throws(QueueError) -> [AppDevice] {
    try devices("ends > 0 AND ends <= ?1 ORDER BY ends", now, limit)
  }

  mutating func unseen(since time: Int64, limit: Int) throws(QueueError) -> [AppDevice] {
    try devices("day < ?1 ORDER BY day", time / DeviceChange.day, limit)
  }

  private mutating func devices(
    _ condition: String, _ value: Int64, _ limit: Int
  ) throws(QueueError) -> [AppDevice] {
    try connection.rows(
      "SELECT app, name FROM device WHERE \(condition) LIMIT ?2", [.integer(value), .integer(Int64(limit))]
    ) { AppDevice(app: $0.text(0), device: $0.text(1)) }
  }

  /// Counts only pushes. If devices counted, too, many of them would leave no room for any push.
  mutating func surplus(over bytes: Int64, limit: Int) throws(QueueError) -> [AppDevice: Set<Int64>] {
    let size = try connection.rows("SELECT bytes FROM size") { $0.integer(0) }.first ?? 0
    var excess = size - bytes
    var (surplus, last): ([AppDevice: Set<Int64>], Int64) = ([:], 0)
    try connection.run(
      """
      SELECT push.number, length(content), app, name FROM push JOIN device ON device.number = push.device
      WHERE push.number > ?1 ORDER BY push.number LIMIT ?2
      """, [.integer(lastSurplus), .integer(Int64(limit))], while: excess > 0
    ) {
      excess -= $0.integer(1) + Int64(PushSchema.overhead)
      last = $0.integer(0)
      surplus[AppDevice(app: $0.text(2), device: $0.text(3)), default: []].insert(last)
    }
    lastSurplus = last
    return surplus
  }

  mutating func statistics(of app: String?, days: ClosedRange<Int>) throws(QueueError) -> [DayStatistics] {
    var statistics: [DayStatistics] = []
    try connection.run(
      "SELECT day, app, what, n FROM count WHERE day BETWEEN ?1 AND ?2 ORDER BY day, app",
      [.integer(Int64(days.lowerBound)), .integer(Int64(days.upperBound))]
    ) {
      let (day, name) = (Int($0.integer(0)), $0.text(1))
      if let app, app != name { return }
      if statistics.last.map({ ($0.day, $0.app) == (day, name) }) != true {
        statistics.append(DayStatistics(app: name, day: day))
      }
      statistics[statistics.count - 1][Statistic(rawValue: Int($0.integer(2)))] = $0.integer(3)
    }
    return statistics
  }

  mutating func forgetStatistics(before day: Int, limit: Int) throws(QueueError) -> Bool {
    try connection.run(
      """
      DELETE FROM count WHERE (day, app, what) IN
        (SELECT day, app, what FROM count WHERE day < ?1 ORDER BY day, app, what LIMIT ?2)
      """, [.integer(Int64(day)), .integer(Int64(limit))])
    return connection.changes == limit
  }
}
