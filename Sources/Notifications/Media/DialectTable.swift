/// Dialects in their order. Tells which of them a payload may contain: most have the marks of one or two.
struct DialectTable: Sendable, ExpressibleByArrayLiteral {
  let rows: [Dialect]
  /// The rows that have media in a member of the payload with this name, a bit for each: sets of numbers would
  /// be put together and sorted for each payload, which took a quarter of its search.
  private var places: [String: UInt64] = [:]
  /// The rows without such a name: they are always searched for.
  private var anywhere: UInt64 = 0

  /// - Parameter rows: 64 at most. All tables are literals in `Dialects.swift`, which no input gets into: a
  ///   longer one ends the tests, and would otherwise have rows that are never found.
  init(arrayLiteral rows: Dialect...) {
    precondition(rows.count <= UInt64.bitWidth, "there is no bit for each dialect")
    self.rows = rows
    for (index, row) in rows.enumerated() {
      for name in row.locations.map(\.topName) {
        if let name { places[name, default: 0] |= 1 << index } else { anywhere |= 1 << index }
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

extension Dialect.Location {
  /// The name of the payload's member that holds its media; nil if it has no fixed one.
  fileprivate var topName: String? {
    switch (self, path.steps.first) {
    case (_, .key(let name)?): name
    case (.object(_, let url), nil), (.textOrObject(_, let url), nil): url
    case (.text, nil), (_, .each?), (_, .members?), (_, .parsed?), (_, .having?): nil
    }
  }
}
