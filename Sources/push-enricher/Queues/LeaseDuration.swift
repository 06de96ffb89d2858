internal import Queueing

extension QueueLease {
  /// Tests of crashes shorten it in debug builds: `PUSH_ENRICHER_LEASE=1s`.
  static var chosenDuration: Duration {
    #if DEBUG
      if let text = ProcessEnvironment.variables["PUSH_ENRICHER_LEASE"] {
        return (try? TimeSpan.parse(text)) ?? duration
      }
    #endif
    return duration
  }
}
