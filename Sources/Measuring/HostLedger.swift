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
