/// Dialects in their order. Tells which of them a payload may contain: most payloads have one or two.
struct DialectTable: Sendable, ExpressibleByArrayLiteral {
  let rows: [Dialect]
  /// The rows with media in a member of this name, a bit for each. Sets took a quarter of a search.
  private var places: [String: UInt64] = [:]
  /// The rows without such a name, which are always looked for.
  private var anywhere: UInt64 = 0

  /// - Parameter rows: 64 at most. No input gets into these literals: a longer one ends the tests.
  init(arrayLiteral rows: Dialect...) {
    precondition(rows.count <= UInt64.bitWidth, "there is no bit for each dialect")
    self.rows = rows
    for (index, row) in rows.enumerated() {
      for location in row.locations {
        if let name = location.topName {
          places[name, default: 0] |= 1 << index
        } else {
          anywhere |= 1 << index
        }
      }
    }
  }

  /// Calls `body` with the rows whose media may be in an object with members of these names.
  func forEachRow(for names: [String], _ body: (Dialect) -> Void) {
    var left = names.reduce(anywhere) { $0 | places[$1, default: 0] }
    while left != 0 {
      body(rows[left.trailingZeroBitCount])
      left &= left - 1
    }
  }
}
