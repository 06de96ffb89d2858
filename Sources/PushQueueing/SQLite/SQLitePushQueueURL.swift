internal import Queueing
internal import Supporting

extension PushQueueKind {
  package static let sqlite = PushQueueKind(["sqlite:"], example: SQLitePushQueueURL.example) {
    (text) throws(QueueError) in try SQLitePushQueueURL(text)
  }
}

/// `sqlite:PATH`. The path is not decoded.
struct SQLitePushQueueURL: PushQueueURL {
  static let example = "sqlite:\(name)"
  private static let name = "push-queue.db"

  private let path: String

  init(_ text: String) throws(QueueError) {
    let (front, query) = text.splitAtQuery
    path = String(front.dropFirst("sqlite:".count))
    let parameter = query.prefix { $0 != "=" }
    let fault =
      SQLitePath.fault(of: path) ?? (text.contains("?") ? URLFault("it has no parameters", parameter) : nil)
    if let fault { throw .urlInvalid(text.withoutPassword, fault, right: Self.right(like: path)) }
  }

  /// A corrected URL.
  static func right(like path: String) -> String { "sqlite:\(SQLitePath.right(like: path, name: name))" }

  var label: QueueLabel { QueueLabel(system: "sqlite", name: path) }
  var needs: QueueNeeds { QueueNeeds(database: path) }

  func open(
    _ limits: PushQueueLimits, certificateFile: String?, warn: (String) -> Void
  ) throws(QueueError) -> any PushQueue {
    let queue = SQLitePushQueue(try SQLiteDeviceStore(path: path), limits)
    if let warning = FileExposure.warning(on: SQLiteStore.files(of: path)) { warn(warning) }
    if let warning = FileExposure.placeWarning(on: path) { warn(warning) }
    return queue
  }
}
