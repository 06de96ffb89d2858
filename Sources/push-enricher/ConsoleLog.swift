internal import Glibc
internal import Logging
internal import Notifications
internal import Supporting

/// Logs to stderr: as text on a terminal, as JSON lines everywhere else.
struct ConsoleLog: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.info
  /// The usual length of the line about an enriched payload, in bytes.
  private static let usualLength = 256
  /// The most bytes of a value in a line.
  private static let maximumValue = 8_000
  private static let isTerminal = Console.errorIsTerminal
  private static let lines = LogLines(to: STDERR_FILENO) { count in
    line(.warning, "log lines were dropped, because stderr did not take them", ["lines": "\(count)"])
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  static func logger() -> Logger { Logger(label: "push-enricher") { _ in ConsoleLog() } }

  /// Writes the waiting lines, then `message`, and ends the process. Gives up after a second if
  /// nobody reads stderr. Usage errors are for people, so they are never JSON. Takes a text and not
  /// an `any Error`: the optimizer of Swift 6.3.1 treated a `catch` that passed its error on to
  /// this function as unreachable, and `work --ca-file /dev/null` crashed.
  static func end(_ status: ExitStatus, _ message: String? = nil) -> Never {
    if let message {
      lines.append(isTerminal || status == .usage ? Console.bytes(message) : line(.critical, message, [:]))
    }
    lines.drain(waitingUpTo: .seconds(1))
    status.end()
  }

  func log(event: LogEvent) {
    let metadata = metadata.isEmpty ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { $1 }
    let line = Self.line(event.level, event.message.description, metadata)
    Self.lines.append(line, isUrgent: event.level >= .error)
  }

  private static func line(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> [UInt8] {
    let members = metadata.indices.sorted { metadata[$0].key < metadata[$1].key }
    guard !isTerminal else {
      let text = members.map { "\(metadata[$0].key)=\(shown(metadata[$0].value))" }.joined(separator: " ")
      return Console.bytes("\(message) \(text)")
    }
    var writer = JSONWriter(capacity: usualLength)
    writer.object {
      $0.member("time", WallClock.timestamp)
      $0.member("level", level.rawValue)
      $0.member("message", message.printable)
      for member in members { $0.member(metadata[member].key, shown(metadata[member].value)) }
    }
    return writer.line()
  }

  /// Cuts a long value: an id or a name in a payload may be longer than all the lines that may wait.
  private static func shown(_ value: Logger.Metadata.Value) -> String {
    let text = value.description.printable
    guard text.utf8.count > maximumValue else { return text }
    return String(decoding: text.utf8.prefix(maximumValue), as: UTF8.self) + "…"
  }
}
