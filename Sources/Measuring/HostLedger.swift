/// The slowest hosts of the last five to ten minutes: two tables; every five minutes the older one is
/// dropped.
struct HostLedger: Sendable {
  /// In slots of `RecentWork`.
  private static let span = RecentWork.slotCount

  private var current = HostTable()
  private var previous = HostTable()
  private var number = 0

  mutating func add(_ visit: HostRow, in slot: Int) {
    advance(to: slot)
    current.add(visit)
  }

  mutating func advance(to slot: Int) {
    let now = slot / Self.span
    guard now > number else { return }
    previous = now == number + 1 ? current : HostTable()
    current = HostTable()
    number = now
  }

  /// Those that took the most time, the slowest first.
  func slowest(_ count: Int) -> [HostRow] {
    var rows = current.rows
    for row in previous.rows {
      if let index = rows.firstIndex(where: { $0.host == row.host }) {
        rows[index].add(row)
      } else {
        rows.append(row)
      }
    }
    return Array(rows.sorted { $0.spent > $1.spent }.prefix(count))
  }
}

/// The hosts that take the most time, however many there are: a fixed number of rows.
///
/// A new host takes the row of the one with the least, and inherits its weight (Metwally and others,
/// "Efficient Computation of Frequent and Top-k Elements in Data Streams", 2005): a host that takes more than
/// a `capacity`th of all time is in it. What a row tells is what was seen of its own host since it has the
/// row.
struct HostTable: Sendable {
  static let capacity = 32

  private(set) var rows: [HostRow] = []
  /// In microseconds, for each row.
  private var weights: [UInt64] = []

  mutating func add(_ visit: HostRow) {
    let weight = max(1, visit.spent)
    if let index = rows.firstIndex(where: { $0.host == visit.host }) {
      rows[index].add(visit)
      weights[index] &+= weight
    } else if rows.count < Self.capacity {
      rows.append(visit)
      weights.append(weight)
    } else if let least = weights.indices.min(by: { weights[$0] < weights[$1] }) {
      rows[least] = visit
      weights[least] &+= weight
    }
  }
}

/// What was asked of a host.
package struct HostRow: Equatable, Sendable {
  package let host: String
  package private(set) var requests: Int
  package private(set) var failures: Int
  /// In microseconds, all requests together.
  package private(set) var spent: UInt64
  /// The longest of the requests, in microseconds.
  package private(set) var slowest: UInt64

  /// One request.
  init(host: String, microseconds: Int, failed: Bool) {
    self.host = host
    requests = 1
    failures = failed ? 1 : 0
    spent = UInt64(max(0, microseconds))
    slowest = spent
  }

  mutating func add(_ other: HostRow) {
    requests += other.requests
    failures += other.failures
    spent &+= other.spent
    slowest = max(slowest, other.slowest)
  }

  /// Of one request, in microseconds.
  package var mean: UInt64 { spent / UInt64(max(1, requests)) }
}
