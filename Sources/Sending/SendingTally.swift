package import Supporting
internal import Synchronization

/// What a sink for APNs has done since its start, for metrics.
package final class SendingTally: Sendable {
  package struct Counts: Sendable, Equatable {
    package var sent = 0
    /// Final answers other than 200, by APNs' reason, or by the status if there is no reason.
    package var refused: [String: Int] = [:]
    /// Pushes whose connection ended or that got no answer in time. APNs may have taken them.
    package var uncertain = 0
    /// Pushes that were sent again because they were uncertain or not processed.
    package var repeated = 0
    package var connectionsOpened = 0
    /// By reason: see `PushConnection.Ending`.
    package var connectionsClosed: [String: Int] = [:]
    package var streamsOpen = 0
    package var streamsAllowed = 0
    /// When the last answer came, whatever it was.
    package var lastAnswer: ContinuousClock.Instant?
    /// The time from a request to its answer.
    package var latency = Histogram()
    /// Why nothing can be sent with these credentials. Nil if APNs takes them, or has not been asked yet.
    package var credentialsFault: String?
    /// When APNs first refused the credentials.
    var faultStart: MonotonicTime?
    package var tokenAge: Duration?
  }

  private let counts = Mutex(Counts())

  package var current: Counts { counts.withLock { $0 } }

  func note(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }
}
