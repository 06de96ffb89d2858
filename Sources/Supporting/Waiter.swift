public import Synchronization

/// A task that waits in a list for one answer, or until it is cancelled. It enters and leaves the list under
/// the lock of that list. Whoever has taken it out answers, with the lock released, and may do so before the
/// task has begun to wait: so an answer and a cancellation that race are neither lost nor given both.
///
/// Public and inlinable: unless the compiler knows `Answer`, which it does not for a `package` type of
/// another module, the runtime looks up the layout of the state at each of a payload's many waits.
public final class Waiter<Answer: Sendable>: Sendable {
  @safe @usableFromInline struct State {
    @usableFromInline var answer: Answer?
    // Unchecked: it is resumed once because it is taken from here, under the lock, by the one who does so. A
    // check would be an object more for each wait.
    @usableFromInline var continuation: UnsafeContinuation<Answer, Never>?

    @inlinable
    init() {
      answer = nil
      unsafe continuation = nil
    }
  }

  @usableFromInline let state: Mutex<State>

  @inlinable public init() { state = Mutex(State()) }

  /// Waits for the answer. Called once, by the task that waits.
  /// - Parameters:
  ///   - cancelled: the answer if the task is cancelled while it is in its list.
  ///   - leave: takes it out of its list, under the lock of that; returns nil if somebody else has.
  @inlinable
  public func wait(cancelled: Answer, leave: @Sendable () -> Waiter?) async -> Answer {
    if let answer = state.withLock({ $0.answer }) { return answer }
    return await withTaskCancellationHandler {
      unsafe await withUnsafeContinuation { continuation in
        let answer = state.withLock { state in
          if state.answer == nil { unsafe state.continuation = continuation }
          return state.answer
        }
        if let answer { unsafe continuation.resume(returning: answer) }
      }
    } onCancel: {
      leave()?.resume(returning: cancelled)
    }
  }

  @inlinable
  public func resume(returning answer: Answer) {
    let continuation = unsafe state.withLock { state in
      if state.answer == nil { state.answer = answer }
      return unsafe state.continuation.take()
    }
    unsafe continuation?.resume(returning: answer)
  }
}
