/// Dialects in their order, and which of them a payload may contain: most payloads have the marks of one or
/// two.
struct DialectTable: Sendable, ExpressibleByArrayLiteral {
  let rows: [Dialect]
  /// Rows by the name of the top member of a payload that holds their media.
  private var places: [String: [Int]] = [:]
  /// Rows without such a name: they are always searched for.
  private var anywhere: Set<Int> = []

  init(arrayLiteral rows: Dialect...) {
    self.rows = rows
    for (index, row) in rows.enumerated() {
      for name in Set(row.locations.map(\.topName)) {
        if let name { places[name, default: []].append(index) } else { anywhere.insert(index) }
      }
    }
  }

  /// The rows whose media may be in an object with members of these names.
  func rows(for names: Set<String>) -> [Dialect] {
    var indices = anywhere
    for name in names { indices.formUnion(places[name] ?? []) }
    return indices.sorted().map { rows[$0] }
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
