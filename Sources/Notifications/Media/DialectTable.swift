/// Dialects in their order, and which of them a payload may contain: most payloads have the marks of one or
/// two.
struct DialectTable: Sendable, ExpressibleByArrayLiteral {
  let rows: [Dialect]
  /// Rows by the name of the top member of a payload that holds their media.
  private var places: [String: [Int]] = [:]
  /// For each row, whether it has no such name: then it is always searched for.
  private var isAnywhere: [Bool]

  init(arrayLiteral rows: Dialect...) {
    self.rows = rows
    isAnywhere = Array(repeating: false, count: rows.count)
    for (index, row) in rows.enumerated() {
      for name in Set(row.locations.map(\.topName)) {
        if let name { places[name, default: []].append(index) } else { isAnywhere[index] = true }
      }
    }
  }

  /// The rows whose media may be in an object with members of these names.
  func rows(for names: some Sequence<String>) -> [Dialect] {
    var isFound = isAnywhere
    for name in names {
      if let indices = places[name] { for index in indices { isFound[index] = true } }
    }
    return zip(rows, isFound).compactMap { row, isFound in isFound ? row : nil }
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
