/// What happened to the numbered pushes of an app on one day (UTC). Each event counts on the day on which it
/// happened.
package struct DayStatistics: Sendable, Equatable {
  package let app: String
  /// Days since 1970.
  package let day: Int
  package private(set) var counts: [Statistic: Int64]

  package init(app: String, day: Int, counts: [Statistic: Int64] = [:]) {
    (self.app, self.day, self.counts) = (app, day, counts)
  }

  package subscript(_ statistic: Statistic) -> Int64 {
    get { counts[statistic] ?? 0 }
    set { counts[statistic] = newValue == 0 ? nil : newValue }
  }
}

/// A kind of event that is counted. The raw value is stored.
package struct Statistic: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
  private init(_ rawValue: Int) { self.rawValue = rawValue }

  /// Positions given.
  package static let assigned = Statistic(0)
  /// Positions that APNs has answered: accepted, rejected or dead. Only the first answer counts.
  package static let sent = Statistic(1)
  package static let accepted = Statistic(2)
  package static let rejected = Statistic(3)
  /// Positions whose token was dead.
  package static let dead = Statistic(4)
  /// Positions that expired before they were sent.
  package static let expired = Statistic(5)
  /// Positions that a device reports as seen.
  package static let receipts = Statistic(6)
  /// Positions that a device missed and asked for, each once.
  package static let asked = Statistic(7)
  /// Pushes sent again, each time.
  package static let resent = Statistic(8)
  /// Positions that were seen after they were sent again.
  package static let recovered = Statistic(9)
  /// Positions that APNs accepted and that expired before the device saw them, although it has sent a receipt
  /// in the 2 days before.
  package static let lost = Statistic(10)
  /// Positions that a device asked for, and saw although they were not sent again.
  package static let late = Statistic(11)
  /// Pushes that devices have shown only in a summary.
  package static let summaries = Statistic(12)

  package static let named: [(name: String, statistic: Statistic)] = [
    ("assigned", .assigned), ("sent", .sent), ("accepted", .accepted), ("rejected", .rejected),
    ("dead", .dead),
    ("expired", .expired), ("receipts", .receipts), ("asked", .asked), ("resent", .resent),
    ("recovered", .recovered), ("lost", .lost), ("late", .late), ("summaries", .summaries),
  ]

  /// The upper bounds of the times from APNs' answer to the receipt, in milliseconds. The last bucket has no
  /// bound.
  package static let delayBounds: [Int64] = [
    1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000, 86_400_000,
  ]
  /// Receipts by the time since APNs accepted the push.
  package static func delay(_ milliseconds: Int64) -> Statistic {
    Statistic(100 + (delayBounds.firstIndex { milliseconds <= $0 } ?? delayBounds.count))
  }
  package static func delay(bucket: Int) -> Statistic { Statistic(100 + bucket) }
  /// Receipts by the hour of day, 0 to 23 (UTC).
  package static func hour(_ hour: Int) -> Statistic { Statistic(200 + hour) }
}
