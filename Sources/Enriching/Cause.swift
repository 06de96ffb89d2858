/// What to say of a failure, by its cause: a row of the tables in `Causes.swift`. The first that fits counts.
struct Cause: Sendable {
  /// Parts of the cause's text, in lower case, of which it has one; none for any text.
  let marks: [String]
  /// In our own words, before those of a library; nil if these are enough.
  let words: String?
  let advice: String

  init(_ marks: [String] = [], words: String? = nil, _ advice: String) {
    (self.marks, self.words, self.advice) = (marks, words, advice)
  }

  init(_ advice: String) { self.init(words: nil, advice) }

  /// - Parameter text: as much of it as fits; a stranger may have written it.
  static func of(_ text: some StringProtocol, in rows: [Cause]) -> Cause? {
    let text = text.lowercased()
    return rows.first { row in row.marks.isEmpty || row.marks.contains { text.contains($0) } }
  }
}

/// What to do about a status of HTTP.
struct StatusCause: Sendable {
  let statuses: ClosedRange<Int>
  let advice: String

  static func advice(on status: Int) -> String? { rows.first { $0.statuses ~= status }?.advice }
}
