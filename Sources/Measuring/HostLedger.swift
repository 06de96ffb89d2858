/// The slowest hosts of the last five to ten minutes. Drops one of two tables every five minutes.
struct HostLedger: Sendable {
  private var current = HostTable()
  private var previous = HostTable()
  private var number = 0

  mutating func add(_ visit: HostRow, in slot: Int) {
    advance(to: slot)
    current.add(visit)
  }

  mutating func advance(to slot: Int) {
    let now = slot / RecentWork.slotCount
    guard now > number else { return }
    previous = now == number + 1 ? current : HostTable()
    current = HostTable()
    number = now
  }

  /// The hosts that took the most time, the slowest first.
  func slowest(_ count: Int) -> [HostRow] {
    var rows = current.rows
    for row in previous.rows where rows.merge(row) == nil { rows.append(row) }
    return Array(rows.sorted { $0.spent > $1.spent }.prefix(count))
  }
}

/// The hosts that take the most time, in a fixed number of rows.
///
/// A new host takes the row of the host with the least weight, and inherits its weight (Metwally
/// and others, "Efficient Computation of Frequent and Top-k Elements in Data Streams", 2005). So
/// every host that takes more than 1/`capacity` of all time has a row. The counts of a row are only
/// those of its present host, since that host took the row.
struct HostTable: Sendable {
  static let capacity = 32

  private(set) var rows: [HostRow] = []
  /// One weight per row, in microseconds.
  private var weights: [UInt64] = []

  mutating func add(_ visit: HostRow) {
    let weight = max(1, visit.spent)
    if let index = rows.merge(visit) {
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

package struct HostRow: Equatable, Sendable {
  package let host: String
  package private(set) var requests = 1
  package private(set) var failures: Int
  /// The time of all requests together, in microseconds.
  package private(set) var spent: UInt64
  /// The time of the longest request, in microseconds.
  package private(set) var slowest: UInt64

  init(host: String, microseconds: Int, failed: Bool) {
    self.host = host
    failures = failed ? 1 : 0
    spent = UInt64(max(0, microseconds))
    slowest = spent
  }

  fileprivate mutating func add(_ other: HostRow) {
    requests += other.requests
    failures += other.failures
    spent &+= other.spent
    slowest = max(slowest, other.slowest)
  }

  /// The average time of a request, in microseconds.
  package var mean: UInt64 { spent / UInt64(max(1, requests)) }
}

extension [HostRow] {
  /// Adds a row to the row of the same host. Returns that row's index, or nil if there is none.
  fileprivate mutating func merge(_ row: HostRow) -> Int? {
    guard let index = firstIndex(where: { $0.host == row.host }) else { return nil }
    self[index].add(row)
    return index
  }
}
