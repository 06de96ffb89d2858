/// Everything the program knows about a kind of queue. To add a kind, write a `QueueURL` and the
/// queue it opens, and add a row to `builtIn`.
package struct QueueKind: Sendable {
  /// How its URLs begin, in lower case and with the colon. For lines, it is `-` alone.
  let schemes: [String]
  /// An example URL for the named queue. Used in messages about URLs that match no kind.
  let example: @Sendable (String) -> String
  /// Reads a URL. The second argument is the queue if the URL does not name one.
  let read: @Sendable (String, String) throws(QueueError) -> any QueueURL

  package init(
    _ schemes: [String], example: @escaping @Sendable (_ queue: String) -> String,
    read: @escaping @Sendable (_ text: String, _ defaultQueue: String) throws(QueueError) -> any QueueURL
  ) {
    self.schemes = schemes
    self.example = example
    self.read = read
  }

  /// A kind that this build does not include.
  package static func missing(_ name: String, _ schemes: [String], example: String) -> QueueKind {
    QueueKind(schemes, example: { _ in example }) { (_, queue) throws(QueueError) in
      throw .refused(
        "this build has no \(name): use a queue in a file, like sqlite:push-enricher.db?queue=\(queue)")
    }
  }
}

extension [QueueKind] {
  /// Reads a URL. `defaultQueue` is the queue or stream if the URL does not name one.
  /// - Throws: `QueueError.urlInvalid`, or `.refused` for a kind that this build does not include.
  package func url(_ text: String, defaultQueue: String) throws(QueueError) -> any QueueURL {
    let colon = text.firstIndex(of: ":")
    let scheme = colon.map { text[...$0].lowercased() } ?? text
    if let kind = first(where: { $0.schemes.contains(scheme) }) { return try kind.read(text, defaultQueue) }
    let shown = text.withoutPassword
    guard let colon else {
      // This is most likely the name of a file.
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
