/// How a user names a queue.
package enum QueueURL: Equatable, Sendable {
  /// `sqlite:PATH?queue=NAME`. The path is taken as it stands, up to the `?`.
  case sqlite(path: String, queue: String)
  /// `redis://…` or `rediss://…`, as it was given.
  case redis(String)
  /// `amqp://…` or `amqps://…`, as it was given.
  case rabbitMQ(String)
  /// `-`: a payload per line on stdin or stdout.
  case lines

  /// - Parameter defaultQueue: the queue of a file, where `text` names none.
  /// - Throws: `QueueError.urlInvalid` with what would be right.
  package init(_ text: String, defaultQueue: String) throws(QueueError) {
    if text == "-" {
      self = .lines
      return
    }
    guard let colon = text.firstIndex(of: ":") else {
      // Most likely the name of a file.
      let path = text.isEmpty || !Self.isPath(text) ? "push-enricher.db" : text
      throw .urlInvalid(text, right: "sqlite:\(path)?queue=\(defaultQueue)")
    }
    switch text[..<colon].lowercased() {
    case "sqlite":
      self = try .init(sqlite: text, rest: text[text.index(after: colon)...], defaultQueue: defaultQueue)
    case "redis", "rediss": self = .redis(text)
    case "amqp", "amqps": self = .rabbitMQ(text)
    default:
      throw .urlInvalid(
        text.withoutPassword,
        right:
          "sqlite:push-enricher.db?queue=\(defaultQueue), redis://HOST/STREAM?group=NAME, amqp://HOST/VHOST?queue=NAME, or - for lines"
      )
    }
  }

  private init(sqlite text: String, rest: Substring, defaultQueue: String) throws(QueueError) {
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = String(parts.first ?? "")
    var queue = defaultQueue
    var isValid = Self.isPath(path)
    for parameter in parts.dropFirst().joined().split(separator: "&") {
      // An option that is not understood is a mistake, and would be lost silently.
      guard parameter.hasPrefix("queue=") else {
        isValid = false
        continue
      }
      queue = String(parameter.dropFirst("queue=".count))
    }
    guard isValid, Self.isName(queue) else {
      // `sqlite://` is how others write it, and there its first part is a host.
      let file = path.drop { $0 == "/" }
      let right = Self.isPath(String(file)) ? "\(path.hasPrefix("/") ? "/" : "")\(file)" : "push-enricher.db"
      throw .urlInvalid(text, right: "sqlite:\(right)?queue=\(Self.isName(queue) ? queue : defaultQueue)")
    }
    self = .sqlite(path: path, queue: queue)
  }

  private static func isPath(_ path: String) -> Bool {
    !path.isEmpty && !path.hasPrefix("//") && !path.hasSuffix("/") && !path.utf8.contains(0)
  }

  /// Names that a shell and a URL take as they are.
  private static func isName(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

extension String {
  /// A URL as it may stand in a log: `***` for the password.
  var withoutPassword: String {
    guard let slashes = firstRange(of: "://"),
      let at = self[slashes.upperBound...].prefix(while: { $0 != "/" }).lastIndex(of: "@"),
      let colon = self[slashes.upperBound..<at].firstIndex(of: ":")
    else { return self }
    return self[...colon] + "***" + self[at...]
  }
}
