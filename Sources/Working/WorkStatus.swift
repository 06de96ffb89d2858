package import Enriching
internal import Synchronization

/// Whether a worker's queues work, for the status page and health checks.
package final class WorkStatus: Sendable {
  package enum QueueOperation: CaseIterable, Sendable { case receiving, publishing }

  package enum Readiness: Equatable, Sendable {
    case ready
    /// No attempt to receive has succeeded yet.
    case starting
    case stopping
    case stuck(QueueOperation, for: Duration)
    /// APNs refuses the key or certificate, for the reason that is given.
    case refused(String)
    /// Nothing has been taken for this long, because the store fails.
    case waitingForStore(Failure, for: Duration)
  }

  /// How long an operation may go without success. A busy disk or a broker's failover takes less.
  package static let stuckAfter = Duration.seconds(10)

  private struct Attempts {
    var underWay = 0
    /// When the first attempt since the last success began. If another attempt was running at that success,
    /// the time of the success. Nil if no attempt has begun since.
    var since: ContinuousClock.Instant?
    var stuckAfter = WorkStatus.stuckAfter
    var hasFailed = false

    mutating func begin(at now: ContinuousClock.Instant) {
      underWay += 1
      since = since ?? now
    }

    mutating func succeed(at now: ContinuousClock.Instant) {
      underWay -= 1
      hasFailed = false
      since = underWay > 0 ? now : nil
    }
  }

  private struct State {
    // Not a dictionary: changing a value in it takes two allocations, six times a payload.
    private var receiving = Attempts()
    private var publishing = Attempts()
    var lastPublication: ContinuousClock.Instant?
    var hasReceived = false
    var isStopping = false
    var storeOutage: StoreOutage.Cause?
    var refusal: (@Sendable () -> String?)?
    var lastAnswer: (@Sendable () -> ContinuousClock.Instant?)?

    subscript(operation: QueueOperation) -> Attempts { operation == .receiving ? receiving : publishing }

    mutating func change(_ operation: QueueOperation, _ change: (inout Attempts) -> Void) {
      if operation == .receiving { change(&receiving) } else { change(&publishing) }
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// When a queue last took a result, or answered that it would not. Nil if none did.
  package var lastPublication: ContinuousClock.Instant? { state.withLock { $0.lastPublication } }

  package func readiness(at now: ContinuousClock.Instant = .now) -> Readiness {
    state.withLock { state in
      if state.isStopping { return .stopping }
      if let refusal = state.refusal?() { return .refused(refusal) }
      for operation in QueueOperation.allCases {
        guard var since = state[operation].since else { continue }
        if operation == .publishing, let answer = state.lastAnswer?() { since = max(since, answer) }
        if now - since > state[operation].stuckAfter { return .stuck(operation, for: now - since) }
      }
      if let outage = state.storeOutage { return .waitingForStore(outage.failure, for: now - outage.start) }
      return state.hasReceived ? .ready : .starting
    }
  }

  /// Lets results wait for earlier ones for up to `deadline` without counting as stuck.
  func expectOrder(deadline: Duration) {
    state.withLock { $0.change(.publishing) { $0.stuckAfter = Self.stuckAfter + deadline } }
  }

  func begin(_ operation: QueueOperation, at now: ContinuousClock.Instant = .now) {
    state.withLock { $0.change(operation) { $0.begin(at: now) } }
  }

  /// Notes that the queue has answered. The time of other running attempts counts from now.
  func succeed(_ operation: QueueOperation, at now: ContinuousClock.Instant = .now) {
    state.withLock {
      $0.change(operation) { $0.succeed(at: now) }
      if operation == .receiving { $0.hasReceived = true } else { $0.lastPublication = now }
    }
  }

  func fail(_ operation: QueueOperation) {
    state.withLock {
      $0.change(operation) {
        $0.underWay -= 1
        $0.hasFailed = true
      }
    }
  }

  /// Whether the last attempt to publish failed.
  var isPublishingFailing: Bool { state.withLock { $0[.publishing].hasFailed } }

  /// - Parameter refusal: asked for why the target refuses the credentials. Nil if it takes them.
  package func watch(_ refusal: @escaping @Sendable () -> String?) { state.withLock { $0.refusal = refusal } }

  /// A target that takes the messages of a batch slowly, one by one, is not stuck.
  /// - Parameter lastAnswer: returns when the target last answered for one of them.
  package func watchAnswers(_ lastAnswer: @escaping @Sendable () -> ContinuousClock.Instant?) {
    state.withLock { $0.lastAnswer = lastAnswer }
  }

  /// - Parameter cause: why nothing is taken, or nil once something is taken again.
  func waitForStore(_ cause: StoreOutage.Cause?) { state.withLock { $0.storeOutage = cause } }

  package var isWaitingForStore: Bool { state.withLock { $0.storeOutage != nil } }

  func stop() { state.withLock { $0.isStopping = true } }
}
