internal import Connecting
internal import Queueing

/// The queues of a command that names none: one database file in the working directory.
enum QueueDefaults {
  static let incoming = "sqlite:push-enricher.db?queue=incoming"
  static let enriched = "sqlite:push-enricher.db?queue=enriched"
  static let deadLetters = "sqlite:push-enricher.db?queue=dead-letters"

  /// How long a worker has a message before it is handed to another. Tests of what is left after a crash shorten it, with a build
  /// for tests: `PUSH_ENRICHER_LEASE=1s`.
  static var leaseDuration: Duration {
    #if DEBUG
      if let text = ProcessEnvironment.variables["PUSH_ENRICHER_LEASE"] {
        return (try? TimeSpan.parse(text)) ?? QueueLease.duration
      }
    #endif
    return QueueLease.duration
  }
}

extension Queues {
  /// The queue that `url` names, or the end of the process with what is wrong.
  func orExit(_ option: String, _ url: String, defaultQueue: String) -> any Queue {
    do throws(QueueError) {
      return try open(url, defaultQueue: defaultQueue)
    } catch {
      switch error {
      case .urlInvalid: ExitStatus.usage.end("\(option): \(error)")
      case .unavailable, .refused, .leaseLost:
        ExitStatus.unavailable.end("\(option) \(url.withoutPassword): \(error)")
      }
    }
  }
}
