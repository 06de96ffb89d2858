package import Queueing
internal import Supporting

#if RabbitMQ
  package import RabbitMQQueueing
#endif
#if Redis
  package import RedisQueueing
#endif

/// How a user names a queue.
package enum QueueURL: Equatable, Sendable {
  /// `sqlite:PATH?queue=NAME`. The path is not decoded: it is all of the text up to the `?`.
  case sqlite(path: String, queue: String)
  /// `-`: a payload per line on stdin or stdout.
  case lines
  #if Redis
    /// `redis://…` or `rediss://…`.
    case redis(RedisURL)
  #endif
  #if RabbitMQ
    /// `amqp://…` or `amqps://…`.
    case rabbitMQ(RabbitMQURL)
  #endif

  /// - Parameter defaultQueue: the queue or stream, where `text` names none.
  /// - Throws: `QueueError.urlInvalid` with what would be right, `.refused` for a broker that this build
  ///   lacks.
  package init(_ text: String, defaultQueue: String) throws(QueueError) {
    if text == "-" {
      self = .lines
      return
    }
    guard let colon = text.firstIndex(of: ":") else {
      // Most likely the name of a file.
      let text = text.withoutPassword
      throw .urlInvalid(
        text, URLFault("it has no scheme"), right: "sqlite:\(Self.path(like: text))?queue=\(defaultQueue)")
    }
    switch text[..<colon].lowercased() {
    case "sqlite":
      self = try .init(
        sqlite: text, rest: text[text.index(after: colon)...], defaultQueue: defaultQueue)
    case "redis", "rediss":
      #if Redis
        self = .redis(try RedisURL(text, defaultStream: defaultQueue))
      #else
        throw Self.missing("Redis", defaultQueue: defaultQueue)
      #endif
    case "amqp", "amqps":
      #if RabbitMQ
        self = .rabbitMQ(try RabbitMQURL(text, defaultQueue: defaultQueue))
      #else
        throw Self.missing("RabbitMQ", defaultQueue: defaultQueue)
      #endif
    default:
      throw .urlInvalid(
        text.withoutPassword,
        URLFault("its scheme is sqlite, redis, rediss, amqp or amqps", text[..<colon]),
        right:
          "sqlite:push-enricher.db?queue=\(defaultQueue), redis://HOST/STREAM?group=NAME, amqp://HOST/VHOST?queue=NAME, or - for lines"
      )
    }
  }

  private init(sqlite text: String, rest: Substring, defaultQueue: String) throws(QueueError) {
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = String(parts.first ?? "")
    var queue = defaultQueue
    var fault = Self.fault(ofPath: path)
    for parameter in (parts.dropFirst().first ?? "").split(separator: "&") {
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
    if let fault {
      let name = Self.isName(queue) ? queue : defaultQueue
      throw .urlInvalid(text.withoutPassword, fault, right: "sqlite:\(Self.path(like: path))?queue=\(name)")
    }
    self = .sqlite(path: path, queue: queue)
  }

  #if !Redis || !RabbitMQ
    private static func missing(_ broker: String, defaultQueue: String) -> QueueError {
      .refused(
        "this build has no \(broker): use a queue in a file, like sqlite:push-enricher.db?queue=\(defaultQueue)"
      )
    }
  #endif

  private static func fault(ofPath path: String) -> URLFault? {
    guard path != self.path(like: path) else { return nil }
    if path.isEmpty { return URLFault("the path of its file is missing") }
    if path.utf8.contains(0) { return URLFault("the path of its file has a NUL") }
    if path.hasPrefix("//") { return URLFault("its path stands behind sqlite: without //") }
    if path == "-" { return URLFault("its path is a file's: lines are - alone") }
    if path == memory { return URLFault("its path is a file's: a queue in memory would be lost") }
    return URLFault("its path is a file's, not a folder's")
  }

  /// What other programs take for a database in memory (sqlite.org/inmemorydb.html).
  private static let memory = ":memory:"

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
}
