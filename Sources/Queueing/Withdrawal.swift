internal import Synchronization

/// Tells whoever works on a delivery that nobody waits for its result any more: the client of a door is gone.
package final class Withdrawal: Sendable {
  private struct State {
    var action: (@Sendable () -> Void)?
    var hasBegun = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Runs the action of `arm`, unless that is disarmed.
  package func begin() {
    state.withLock { state in
      state.hasBegun = true
      // Under the lock: once `disarm` has returned, nothing is cancelled any more.
      state.action.take()?()
    }
  }

  /// - Parameter action: ends the work. Must not block. Runs at once if the withdrawal has begun.
  package func arm(_ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      if state.hasBegun { action() } else { state.action = action }
    }
  }

  /// From here on, the work goes on to its end.
  /// - Returns: whether the withdrawal had begun.
  package func disarm() -> Bool {
    state.withLock { state in
      state.action = nil
      return state.hasBegun
    }
  }
}
