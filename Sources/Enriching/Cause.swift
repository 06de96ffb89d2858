/// What to say about a failure with a certain cause: a row of the tables in `Causes.swift`. The first match counts.
struct Cause: Sendable {
  /// Lower-case fragments. The row matches a text with one of them, or any text if the list is empty.
  let marks: [String]
  /// Our own words, which precede those of the library. Nil if the library's words are enough.
  let words: String?
  let advice: String

  init(_ marks: [String] = [], words: String? = nil, _ advice: String) {
    (self.marks, self.words, self.advice) = (marks, words, advice)
  }

  init(_ advice: String) { self.init(words: nil, advice) }

  /// - Parameter text: a stranger may have written it, so the caller limits its length.
  static func of(_ text: some StringProtocol, in rows: [Cause]) -> Cause? {
    let text = text.lowercased()
    return rows.first { row in row.marks.isEmpty || row.marks.contains { text.contains($0) } }
  }
}

/// What to do about an HTTP status.
struct StatusCause: Sendable {
  let statuses: ClosedRange<Int>
  let advice: String

  static func advice(on status: Int) -> String? { rows.first { $0.statuses ~= status }?.advice }
}
