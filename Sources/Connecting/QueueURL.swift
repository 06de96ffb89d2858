package import Queueing

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
      let text = text.withoutPassword
      throw .urlInvalid(text, right: "sqlite:\(Self.path(like: text))?queue=\(defaultQueue)")
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
      let name = Self.isName(queue) ? queue : defaultQueue
      throw .urlInvalid(text, right: "sqlite:\(Self.path(like: path))?queue=\(name)")
    }
    self = .sqlite(path: path, queue: queue)
  }

  private static func isPath(_ path: String) -> Bool { path == self.path(like: path) }

  /// `path` itself, if it can be that of a queue; else one that can.
  private static func path(like path: String) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else { return "push-enricher.db" }
    // `sqlite://` is how others write it, and what follows is not a path to all of them.
    let path = path.hasPrefix("//") ? "/" + path.drop { $0 == "/" } : path
    return path.hasSuffix("/") ? path + "push-enricher.db" : path
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
