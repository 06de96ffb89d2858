/// An ordered list of dialects. Selects the ones that a payload may contain, usually one or two.
struct DialectTable: Sendable, ExpressibleByArrayLiteral {
  let rows: [Dialect]
  /// A bit for each row that has media in a member with this name. Sets took a quarter of a search's time.
  private var places: [String: UInt64] = [:]
  /// A bit for each row without a fixed member name. These rows are always searched.
  private var anywhere: UInt64 = 0

  /// - Parameter rows: at most 64, or it traps. Every table is a literal, so a test would notice.
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

  /// Calls `body` with each row that may have media in an object with members of these names.
  func forEachRow(for names: [String], _ body: (Dialect) -> Void) {
    var left = names.reduce(anywhere) { $0 | places[$1, default: 0] }
    while left != 0 {
      body(rows[left.trailingZeroBitCount])
      left &= left - 1
    }
  }
}
