internal import Glibc
internal import Supporting

extension QueueKind {
  package static let sqlite = QueueKind(["sqlite:"], example: { "sqlite:push-enricher.db?queue=\($0)" }) {
    (text, queue) throws(QueueError) in try SQLiteURL(text, defaultQueue: queue)
  }
}

/// `sqlite:PATH?queue=NAME`. The path is not decoded: it is all of the text up to the `?`.
struct SQLiteURL: QueueURL {
  /// What other programs take for a database in memory (sqlite.org/inmemorydb.html).
  private static let memory = ":memory:"

  private let path: String
  private let queue: String

  init(_ text: String, defaultQueue: String) throws(QueueError) {
    let (front, query) = text.splitAtQuery
    path = String(front.dropFirst("sqlite:".count))
    var (queue, fault) = (defaultQueue, Self.fault(ofPath: path))
    for parameter in query.split(separator: "&") {
      // An unknown option is a mistake, and ignoring it would hide that.
      guard parameter.hasPrefix("queue=") else {
        fault = fault ?? URLFault("its only parameter is queue", parameter.prefix { $0 != "=" })
        continue
      }
      let name = parameter.dropFirst("queue=".count)
      queue = String(name)
      guard !Self.isName(queue) else { continue }
      fault = fault ?? URLFault("its queue is 1 to 100 letters, digits, '.', '_' and '-'", name)
    }
    self.queue = queue
    guard let fault else { return }
    let right = Self.right(like: path, queue: Self.isName(queue) ? queue : defaultQueue)
    throw .urlInvalid(text.withoutPassword, fault, right: right)
  }

  /// A URL that would be right, of `path` or a similar one.
  static func right(like path: String, queue: String) -> String {
    "sqlite:\(self.path(like: path))?queue=\(queue)"
  }

  private static func fault(ofPath path: String) -> URLFault? {
    guard path != self.path(like: path) else { return nil }
    if path.isEmpty { return URLFault("the path of its file is missing") }
    if path.utf8.contains(0) { return URLFault("the path of its file has a NUL") }
    if path.hasPrefix("//") { return URLFault("its path stands behind sqlite: without //") }
    if path == "-" { return URLFault("its path is a file's: lines are - alone") }
    if path == memory { return URLFault("its path is a file's: a queue in memory would be lost") }
    return URLFault("its path is a file's, not a folder's")
  }

  /// `path` itself, if it can be the path of a queue; else a similar one that can.
  private static func path(like path: String) -> String {
    var path = path
    if path.hasPrefix("//") {
      // Other programs write `sqlite://`, and disagree about what follows: with a third slash it is an
      // absolute path for most.
      let name = String(path.drop { $0 == "/" })
      path = path.hasPrefix("///") ? "/\(name)" : name
    }
    guard !path.isEmpty, path != memory, path != "-", !path.utf8.contains(0) else {
      return "push-enricher.db"
    }
    return path.hasSuffix("/") ? path + "push-enricher.db" : path
  }

  /// Names that a shell and a URL take as they are.
  private static func isName(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "._-".utf8.contains($0) }
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
      let warnings = [
        FileExposure.warning(on: SQLiteStore.files(of: path)), FileExposure.placeWarning(on: path),
      ]
      for warning in warnings.compactMap(\.self) { queues.warn(warning) }
      return store
    }
    return SQLiteQueue(store: store, name: queue)
  }
}

extension String {
  /// What is before the first `?`, and what is behind it.
  package var splitAtQuery: (front: Substring, query: Substring) {
    let parts = split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return (parts[0], parts.dropFirst().first ?? "")
  }
}
