internal import Synchronization

/// A task that waits in a list for one answer, or until it is cancelled.
///
/// It enters the list, and is taken out of it, under the lock of that list. Whoever has taken it out answers,
/// with the lock released, and may do so before the task has begun to wait: so an answer and a cancellation
/// that race are neither lost nor given both.
package final class Waiter<Answer: Sendable>: Sendable {
  private struct State {
    var answer: Answer?
    var continuation: CheckedContinuation<Answer, Never>?
  }

  private let state = Mutex(State())

  package init() {}

  /// Waits for the answer. Called once, by the task that waits.
  /// - Parameters:
  ///   - cancelled: the answer if the task is cancelled while it is in its list.
  ///   - leave: takes it out of its list, under the lock of that; returns nil if somebody else has taken it
  ///     out.
  package func wait(cancelled: Answer, leave: @Sendable () -> Waiter?) async -> Answer {
    if let answer = state.withLock({ $0.answer }) { return answer }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state in
          if state.answer == nil { state.continuation = continuation }
          return state.answer
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      leave()?.resume(returning: cancelled)
    }
  }

  /// Answers it. Only the first answer counts.
  package func resume(returning answer: Answer) {
    let continuation = state.withLock { state in
      if state.answer == nil { state.answer = answer }
      return state.continuation.take()
    }
    continuation?.resume(returning: answer)
  }
}
