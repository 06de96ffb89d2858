/// Dialects in their order, and which of them a payload may contain: most payloads have the marks of one or
/// two.
struct DialectTable: Sendable, ExpressibleByArrayLiteral {
  let rows: [Dialect]
  /// Which rows have media in the top member of a payload that has this name.
  private var places: [String: Set<Int>] = [:]
  /// Rows that have no such name: they are always searched for.
  private var anywhere: Set<Int> = []

  init(arrayLiteral rows: Dialect...) {
    self.rows = rows
    for (index, row) in rows.enumerated() {
      for name in row.locations.map(\.topName) {
        if let name { places[name, default: []].insert(index) } else { anywhere.insert(index) }
      }
    }
  }

  /// The rows whose media may be in an object with members of these names.
  func rows(for names: some Sequence<String>) -> [Dialect] {
    let found = names.reduce(into: anywhere) { $0.formUnion(places[$1] ?? []) }
    return found.sorted().map { rows[$0] }
  }
}

extension Dialect.Location {
  /// The name of the top member of a payload that holds its media; nil if it has no fixed one.
  fileprivate var topName: String? {
    switch (self, path.steps.first) {
    case (_, .key(let name)?): name
    case (.object(_, let url), nil), (.textOrObject(_, let url), nil): url
    case (.text, nil), (_, .each?), (_, .members?), (_, .parsed?), (_, .having?): nil
    }
  }
}
