package import Enriching
internal import Synchronization

/// Whether a worker's queues work, for the status page and health checks.
package final class WorkStatus: Sendable {
  /// What a worker does with its queues.
  package enum QueueOperation: Equatable, Sendable { case receiving, publishing }

  /// Whether a worker does its work.
  package enum Readiness: Equatable, Sendable {
    case ready
    /// No attempt to receive has succeeded yet.
    case starting
    /// It takes no more.
    case stopping
    /// The operation has not succeeded for this long.
    case stuck(QueueOperation, for: Duration)
    /// Nothing is taken for this long, because the store fails.
    case waitingForStore(Failure, for: Duration)
  }

  /// How long an operation may go without success before it counts as stuck: longer than a busy disk or a
  /// failover of a broker delays it.
  package static let stuckAfter = Duration.seconds(10)

  /// Attempts at one operation.
  private struct Attempts {
    var underWay = 0
    /// When the first attempt since the last success began; nil if there was none since.
    var since: ContinuousClock.Instant?
  }

  private struct State {
    var receiving = Attempts()
    var publishing = Attempts()
    var lastPublication: ContinuousClock.Instant?
    var publishingStuckAfter = WorkStatus.stuckAfter
    var hasReceived = false
    var isStopping = false
    var storeOutage: StoreOutage.Cause?

    subscript(_ operation: QueueOperation) -> Attempts {
      get { operation == .receiving ? receiving : publishing }
      set { if operation == .receiving { receiving = newValue } else { publishing = newValue } }
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// When a queue last took a result, or answered that it is not to; nil if none did.
  package var lastPublication: ContinuousClock.Instant? { state.withLock { $0.lastPublication } }

  /// - Parameter now: the current time.
  package func readiness(at now: ContinuousClock.Instant = .now) -> Readiness {
    state.withLock { state in
      if state.isStopping { return .stopping }
      for (operation, limit) in [
        (QueueOperation.receiving, Self.stuckAfter), (.publishing, state.publishingStuckAfter),
      ] {
        if let since = state[operation].since, now - since > limit {
          return .stuck(operation, for: now - since)
        }
      }
      if let outage = state.storeOutage { return .waitingForStore(outage.failure, for: now - outage.start) }
      return state.hasReceived ? .ready : .starting
    }
  }

  /// Results may wait for earlier ones for up to `deadline`, which does not count as stuck.
  func expectOrder(deadline: Duration) {
    state.withLock { $0.publishingStuckAfter = Self.stuckAfter + deadline }
  }

  /// An attempt begins. It then succeeds or fails.
  func begin(_ operation: QueueOperation, at now: ContinuousClock.Instant = .now) {
    state.withLock {
      $0[operation].underWay += 1
      $0[operation].since = $0[operation].since ?? now
    }
  }

  /// The queue has answered. Time for other attempts that are under way counts from now.
  func succeed(_ operation: QueueOperation, at now: ContinuousClock.Instant = .now) {
    state.withLock {
      $0[operation].underWay -= 1
      $0[operation].since = $0[operation].underWay > 0 ? now : nil
      if operation == .receiving { $0.hasReceived = true } else { $0.lastPublication = now }
    }
  }

  func fail(_ operation: QueueOperation) {
    state.withLock { $0[operation].underWay -= 1 }
  }

  /// - Parameter cause: why nothing is taken; nil once something is taken again.
  func waitForStore(_ cause: StoreOutage.Cause?) { state.withLock { $0.storeOutage = cause } }

  /// Whether nothing is taken because the store fails.
  package var isWaitingForStore: Bool { state.withLock { $0.storeOutage != nil } }

  /// Nothing more is received from now on.
  func stop() { state.withLock { $0.isStopping = true } }
}
