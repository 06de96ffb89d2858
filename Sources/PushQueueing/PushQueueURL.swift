package import Queueing

/// The URL of a push queue, read and checked.
package protocol PushQueueURL: Sendable {
  var label: QueueLabel { get }

  /// What the sandbox must allow while the push queue is used.
  var needs: QueueNeeds { get }

  /// Opens the push queue. Blocks on disk and network.
  /// - Parameters:
  ///   - certificateFile: see `Queues.certificateFile`.
  ///   - warn: called if other users may read or replace the file.
  /// - Throws: `QueueError.refused` if it will never open, `.unavailable` if it may open later.
  func open(
    _ limits: PushQueueLimits, certificateFile: String?, warn: (String) -> Void
  ) throws(QueueError) -> any PushQueue
}

/// Everything the program knows about a kind of push queue. To add a kind, write a `PushQueueURL`, and add a row to
/// `builtIn`.
package struct PushQueueKind: Sendable {
  /// How its URLs begin, in lower case and with the colon.
  let schemes: [String]
  let example: String
  let read: @Sendable (String) throws(QueueError) -> any PushQueueURL

  package init(
    _ schemes: [String], example: String,
    read: @escaping @Sendable (String) throws(QueueError) -> any PushQueueURL
  ) {
    (self.schemes, self.example, self.read) = (schemes, example, read)
  }

  /// A kind that this build does not include.
  package static func missing(_ name: String, _ schemes: [String], example: String) -> PushQueueKind {
    PushQueueKind(schemes, example: example) { _ throws(QueueError) in
      throw .refused(
        "this build has no \(name): use a push queue in a file, like \(SQLitePushQueueURL.example)")
    }
  }
}

extension [PushQueueKind] {
  /// - Throws: `QueueError.urlInvalid`, or `.refused` for a kind that this build does not include.
  package func url(_ text: String) throws(QueueError) -> any PushQueueURL {
    let colon = text.firstIndex(of: ":")
    let scheme = colon.map { text[...$0].lowercased() } ?? text
    if let kind = first(where: { $0.schemes.contains(scheme) }) { return try kind.read(text) }
    let shown = text.withoutPassword
    guard let colon else {
      // This is most likely the name of a file.
      let right = SQLitePushQueueURL.right(like: shown)
      throw .urlInvalid(shown, URLFault("it has no scheme"), right: right)
    }
    let schemes = flatMap(\.schemes).map { $0.dropLast() }.joined(separator: ", ")
    let fault = URLFault("the schemes of push queues are \(schemes)", text[..<colon])
    throw .urlInvalid(shown, fault, right: map(\.example).joined(separator: ", or "))
  }
}
