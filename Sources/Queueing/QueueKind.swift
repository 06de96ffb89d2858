/// All that the program knows of a kind of queue. A further kind is a `QueueURL`, what that opens, and a row.
package struct QueueKind: Sendable {
  /// What its URLs begin with, in lower case and with the colon; `-` alone for lines.
  let schemes: [String]
  /// A URL of the named queue, for messages about URLs of no kind.
  let example: @Sendable (String) -> String
  /// Reads a URL. The second argument is the queue if the URL names none.
  let read: @Sendable (String, String) throws(QueueError) -> any QueueURL

  package init(
    _ schemes: [String], example: @escaping @Sendable (_ queue: String) -> String,
    read: @escaping @Sendable (_ text: String, _ defaultQueue: String) throws(QueueError) -> any QueueURL
  ) {
    self.schemes = schemes
    self.example = example
    self.read = read
  }

  /// A kind that this build lacks.
  package static func missing(_ name: String, _ schemes: [String], example: String) -> QueueKind {
    QueueKind(schemes, example: { _ in example }) { (_, queue) throws(QueueError) in
      throw .refused(
        "this build has no \(name): use a queue in a file, like sqlite:push-enricher.db?queue=\(queue)")
    }
  }
}

extension [QueueKind] {
  /// Reads a URL. `defaultQueue` is the queue or stream if it names none.
  /// - Throws: `QueueError.urlInvalid`, or `.refused` for a kind that this build lacks.
  package func url(_ text: String, defaultQueue: String) throws(QueueError) -> any QueueURL {
    let colon = text.firstIndex(of: ":")
    let scheme = colon.map { text[...$0].lowercased() } ?? text
    if let kind = first(where: { $0.schemes.contains(scheme) }) { return try kind.read(text, defaultQueue) }
    let shown = text.withoutPassword
    guard let colon else {
      // Most likely the name of a file.
      throw .urlInvalid(
        shown, URLFault("it has no scheme"), right: SQLiteURL.right(like: shown, defaultQueue))
    }
    let schemes = flatMap(\.schemes).filter { $0.hasSuffix(":") }.map { String($0.dropLast()) }
    let fault = URLFault("its scheme is \(schemes.listed(" or "))", text[..<colon])
    throw .urlInvalid(shown, fault, right: map { $0.example(defaultQueue) }.listed(", or "))
  }
}

extension [String] {
  fileprivate func listed(_ last: String) -> String {
    dropLast().joined(separator: ", ") + last + (self.last ?? "")
  }
}
