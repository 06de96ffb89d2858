internal import Queueing
internal import Synchronization

enum PushOutcome: Sendable {
  case result(SendResult)
  /// APNs says that the token is dead. `PushAnswer.timestamp` says since when.
  case dead(PushAnswer)
  /// Nothing can be sent with these credentials.
  case credentials(String)
}

/// The pushes of one call of `send`, which waits for the answers to all of them.
final class PushBatch: Sendable {
  private struct State {
    var outcomes: [PushOutcome?]
    var missing: Int
    var lost: Set<Int> = []
    var continuation: CheckedContinuation<[PushOutcome?], Never>?
  }

  let requests: [PushRequest]
  private let state: Mutex<State>
  private let wasCancelled = Atomic(false)

  init(_ requests: [PushRequest]) {
    self.requests = requests
    state = Mutex(
      State(outcomes: Array(repeating: nil, count: requests.count), missing: requests.count))
  }

  /// Whether all of its pushes have answers.
  var isComplete: Bool { state.withLock { $0.missing == 0 } }

  /// Whether its pushes must no longer be sent. May be set before the loop gets the batch.
  var isCancelled: Bool { wasCancelled.load(ordering: .relaxed) }
  func cancel() { wasCancelled.store(true, ordering: .relaxed) }

  /// The indices of the pushes that APNs may have taken without an answer, whatever their outcome is.
  var lost: Set<Int> { state.withLock { $0.lost } }
  func noteLost(_ index: Int) { state.withLock { _ = $0.lost.insert(index) } }

  /// Waits for all outcomes. Call it once.
  /// - Parameter begin: hands the batch to the loop.
  func outcomes(_ begin: () -> Void) async -> [PushOutcome?] {
    await withCheckedContinuation { continuation in
      state.withLock { $0.continuation = continuation }
      begin()
    }
  }

  /// Notes the outcome of a push. Only the first one counts.
  func end(_ index: Int, _ outcome: PushOutcome) {
    let (continuation, outcomes) = state.withLock { state in
      guard state.outcomes[index] == nil else {
        return (CheckedContinuation<[PushOutcome?], Never>?.none, [PushOutcome?]())
      }
      state.outcomes[index] = outcome
      state.missing -= 1
      guard state.missing == 0 else { return (nil, []) }
      return (state.continuation.take(), state.outcomes)
    }
    continuation?.resume(returning: outcomes)
  }
}
