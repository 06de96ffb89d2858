internal import Logging
internal import Notifications

/// Log lines on stderr: for people on a terminal, as JSON everywhere else.
struct ConsoleLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info
  private let isTerminal = Console.errorIsTerminal

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  static func logger() -> Logger { Logger(label: "push-enricher") { _ in ConsoleLog() } }

  /// For libraries whose own messages users have no use for.
  static var silent: Logger { Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() } }

  func log(event: LogEvent) {
    let values = self.metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    guard !isTerminal else {
      let text = values.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      return Console.line("\(event.message) \(text)")
    }
    var writer = JSONWriter()
    writer.object {
      $0.member("time", WallClock.now)
      $0.member("level", event.level.rawValue)
      $0.member("message", "\(event.message)")
      for (key, value) in values { $0.member(key, "\(value)") }
    }
    Console.text(String(decoding: writer.bytes, as: UTF8.self) + "\n")
  }
}
