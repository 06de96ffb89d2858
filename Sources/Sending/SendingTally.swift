internal import Supporting
internal import Synchronization

/// What a sink for APNs has done since its start, for metrics.
package final class SendingTally: Sendable {
  package struct Counts: Sendable, Equatable {
    package var sent = 0
    /// Final answers other than 200, by APNs' reason, or by the status if it has none.
    package var refused: [String: Int] = [:]
    /// Pushes whose connection ended, or that had no answer in time: APNs may have taken them.
    package var uncertain = 0
    /// Pushes that were sent once more, uncertain or not processed.
    package var repeated = 0
    package var connectionsOpened = 0
    /// By why: see `PushConnection.Ending`.
    package var connectionsClosed: [String: Int] = [:]
    package var streamsOpen = 0
    package var streamsAllowed = 0
    package var latency = LatencyCounts()
    /// Why nothing can be sent with these credentials. Nil if APNs takes them, or was not asked yet.
    package var credentialsFault: String?
    package var tokenAge: Duration?
  }

  private let counts = Mutex(Counts())

  package var current: Counts { counts.withLock { $0 } }

  func note(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }
}

/// How long answers took, as Prometheus counts it.
package struct LatencyCounts: Sendable, Equatable {
  /// Upper bounds in milliseconds.
  package static let bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000]

  /// How many took at most the bound and longer than the one before. The last is for all others.
  package var buckets = [Int](repeating: 0, count: LatencyCounts.bounds.count + 1)
  package var sum = Duration.zero

  mutating func note(_ duration: Duration) {
    let time = duration.milliseconds
    buckets[Self.bounds.firstIndex { time <= $0 } ?? Self.bounds.count] += 1
    sum += duration
  }
}
