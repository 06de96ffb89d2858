internal import Queueing

extension QueueLease {
  /// How long a worker has a message before it is handed to another. Tests of what is left after a crash shorten it, with a build
  /// for tests: `PUSH_ENRICHER_LEASE=1s`.
  static var chosenDuration: Duration {
    #if DEBUG
      if let text = ProcessEnvironment.variables["PUSH_ENRICHER_LEASE"] {
        return (try? TimeSpan.parse(text)) ?? duration
      }
    #endif
    return duration
  }
}
