public import Synchronization

/// A task that waits in a list for one answer, or until it is cancelled. It enters and leaves the
/// list under the list's lock. The code that takes it out answers after releasing the lock, maybe
/// before the task waits. So if an answer and a cancellation race, the task gets exactly one.
///
/// Public and inlinable, so that the compiler knows `Answer`. It does not for a `package` type of
/// another module: the runtime looks up the layout of the state at each of a payload's many waits.
public final class Waiter<Answer: Sendable>: Sendable {
  @safe @usableFromInline struct State {
    @usableFromInline var answer: Answer?
    // Unchecked: it is resumed once, by the code that takes it from here under the lock. A check
    // would take one more object for each wait.
    @usableFromInline var continuation: UnsafeContinuation<Answer, Never>?

    @inlinable
    init() {
      answer = nil
      unsafe continuation = nil
    }
  }

  @usableFromInline let state: Mutex<State>

  @inlinable public init() { state = Mutex(State()) }
  @inlinable deinit {}

  /// Waits for the answer. Call it once, from the task that waits.
  /// - Parameters:
  ///   - cancelled: the answer if the task is cancelled while it is in its list.
  ///   - leave: removes it from its list under the list's lock. Returns nil if it was no longer there.
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
