internal import Glibc
internal import Supporting

extension QueueKind {
  package static let sqlite = QueueKind(["sqlite:"], example: { "sqlite:push-enricher.db?queue=\($0)" }) {
    (text, queue) throws(QueueError) in try SQLiteURL(text, defaultQueue: queue)
  }
}

/// `sqlite:PATH?queue=NAME`. The path is not decoded.
struct SQLiteURL: QueueURL {
  private let path, queue: String

  init(_ text: String, defaultQueue: String) throws(QueueError) {
    let (front, query) = text.splitAtQuery
    path = String(front.dropFirst("sqlite:".count))
    let parameters = query.split(separator: "&")
    queue =
      parameters.last { $0.hasPrefix("queue=") }.map { String($0.dropFirst("queue=".count)) } ?? defaultQueue
    let twice = parameters.count > 1 ? URLFault("its parameter queue appears twice") : nil
    let faults = [SQLitePath.fault(of: path)] + parameters.map(Self.fault(ofParameter:)) + [twice]
    guard let fault = faults.compactMap(\.self).first else { return }
    let right = Self.right(like: path, Self.isName(queue) ? queue : defaultQueue)
    throw .urlInvalid(text.withoutPassword, fault, right: right)
  }

  private static func fault(ofParameter parameter: Substring) -> URLFault? {
    // Ignoring an unknown parameter would hide a mistake.
    guard parameter.hasPrefix("queue=") else {
      return URLFault("its only parameter is queue", parameter.prefix { $0 != "=" })
    }
    let name = parameter.dropFirst("queue=".count)
    return isName(name) ? nil : URLFault("its queue is 1 to 100 letters, digits, '.', '_' and '-'", name)
  }

  /// A corrected URL: with `path`, or with a similar path if this one cannot be that of a queue.
  static func right(like path: String, _ queue: String) -> String {
    "sqlite:\(SQLitePath.right(like: path))?queue=\(queue)"
  }

  private static func isName(_ name: some StringProtocol) -> Bool {
    (1...100).contains(name.utf8.count) && name.utf8.allSatisfy(\.isOfName)
  }

  var label: QueueLabel { QueueLabel(system: "sqlite", name: queue) }
  var needs: QueueNeeds { QueueNeeds(database: path) }

  func isSameQueue(as other: any QueueURL) -> Bool {
    guard let other = other as? SQLiteURL else { return false }
    return queue == other.queue && FileIdentity.isSame(path, as: other.path)
  }

  func sibling(_ name: String, of text: String) -> String? { "sqlite:\(path)?queue=\(name)" }
  func example(_ name: String) -> String { "sqlite:PATH?queue=\(name)" }

  func open(in queues: Queues, for use: QueueUse, createsFile: Bool) throws(QueueError) -> any Queue {
    if !createsFile, unsafe access(path, F_OK) != 0, errno == ENOENT {
      throw .unavailable("there is no file \(path): check the name, or put something into the queue first")
    }
    let store = try queues.store(at: FileIdentity(of: path)) { () throws(QueueError) in
      let store = try SQLiteStore(path: path)
      if let warning = FileExposure.warning(on: SQLiteStore.files(of: path)) { queues.warn(warning) }
      if let warning = FileExposure.placeWarning(on: path) { queues.warn(warning) }
      return store
    }
    return SQLiteQueue(store: store, name: queue)
  }
}

extension String {
  /// The text before the first `?`, and the text after it.
  package var splitAtQuery: (front: Substring, query: Substring) {
    let parts = split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return (parts[0], parts.dropFirst().first ?? "")
  }
}
