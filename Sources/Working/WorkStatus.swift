internal import Synchronization

/// How a worker gets along with its queues, for whoever asks while it works.
package final class WorkStatus: Sendable {
  /// What a worker does with a queue.
  package enum QueueOperation: Equatable, Sendable { case receiving, publishing }

  /// Whether it does its work.
  package enum Readiness: Equatable, Sendable {
    case ready
    /// Nothing has been received yet, not even the answer that there is nothing.
    case starting
    /// It takes no more.
    case stopping
    /// It has tried for so long without a success.
    case stuck(QueueOperation, for: Duration)
  }

  /// How long an operation may be tried, or be under way, before it counts as stuck: longer than a busy disk or a broker that fails
  /// over makes it wait.
  package static let stuckAfter = Duration.seconds(10)

  /// Tries of one kind.
  private struct Tries {
    var underWay = 0
    /// Since when there has been no success although there were tries; nil when the last one was a success, or none was made.
    var since: ContinuousClock.Instant?
  }

  private struct State {
    var receiving = Tries()
    var publishing = Tries()
    var lastPublication: ContinuousClock.Instant?
    var publishingStuckAfter = WorkStatus.stuckAfter
    var hasReceived = false
    var isStopping = false

    subscript(_ operation: QueueOperation) -> Tries {
      get { operation == .receiving ? receiving : publishing }
      set { if operation == .receiving { receiving = newValue } else { publishing = newValue } }
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// When a queue has taken a result last; nil where none has.
  package var lastPublication: ContinuousClock.Instant? { state.withLock { $0.lastPublication } }

  /// - Parameter now: the time of the question.
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
      return state.hasReceived ? .ready : .starting
    }
  }

  /// Results wait for those before them for up to `deadline`: that is no queue that is stuck.
  func expectOrder(deadline: Duration) {
    state.withLock { $0.publishingStuckAfter = Self.stuckAfter + deadline }
  }

  /// Each try is begun, and then succeeds or fails.
  func begin(_ operation: QueueOperation, at now: ContinuousClock.Instant = .now) {
    state.withLock {
      $0[operation].underWay += 1
      $0[operation].since = $0[operation].since ?? now
    }
  }

  /// The queue has answered. What else is under way has its time from now on.
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

  /// No more is taken from now on.
  func stop() { state.withLock { $0.isStopping = true } }
}
