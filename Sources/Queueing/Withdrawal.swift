internal import Synchronization

/// Tells the worker on a delivery that its result is no longer wanted, because the client of a door has gone.
package final class Withdrawal: Sendable {
  private struct State {
    var action: (@Sendable () -> Void)?
    var hasBegun = false
    /// Whether `disarm` was called. Short work may get there before its action is given to `arm`.
    var isDisarmed = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Runs the action given to `arm`, unless `disarm` was called.
  package func begin() {
    state.withLock { state in
      state.hasBegun = true
      // Runs under the lock, so that nothing is cancelled after `disarm` has returned.
      state.action.take()?()
    }
  }

  /// Does nothing after `disarm`.
  /// - Parameter action: ends the work. Must not block. Runs at once if the withdrawal has begun.
  package func arm(_ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      guard !state.isDisarmed else { return }
      if state.hasBegun { action() } else { state.action = action }
    }
  }

  /// From now on, the work cannot be cancelled.
  /// - Returns: whether the withdrawal had begun.
  package func disarm() -> Bool {
    state.withLock { state in
      (state.action, state.isDisarmed) = (nil, true)
      return state.hasBegun
    }
  }
}
