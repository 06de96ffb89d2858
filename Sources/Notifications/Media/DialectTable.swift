/// Dialects in their order, and which of them a payload can have media of: most have the marks of one or two.
struct DialectTable: Sendable, ExpressibleByArrayLiteral {
  let rows: [Dialect]
  /// Rows by the names of the members at the top of a payload in which their media stand.
  private var places: [String: [Int]] = [:]
  /// Those of which that is not said: they are always looked for.
  private var anywhere: Set<Int> = []

  init(arrayLiteral rows: Dialect...) {
    self.rows = rows
    for (index, row) in rows.enumerated() {
      for name in Set(row.locations.map(\.topName)) {
        if let name { places[name, default: []].append(index) } else { anywhere.insert(index) }
      }
    }
  }

  /// Those whose media may stand in an object with members of these names.
  func rows(for names: Set<String>) -> [Dialect] {
    var indices = anywhere
    for name in names { indices.formUnion(places[name] ?? []) }
    return indices.sorted().map { rows[$0] }
  }
}

extension Dialect.Location {
  /// The name of the member at the top of a payload in which its media stand; nil where that is not said.
  fileprivate var topName: String? {
    switch (self, path.steps.first) {
    case (_, .key(let name)?): name
    case (.object(_, let url), nil), (.textOrObject(_, let url), nil): url
    case (.text, nil), (_, .each?), (_, .members?), (_, .parsed?), (_, .having?): nil
    }
  }
}
