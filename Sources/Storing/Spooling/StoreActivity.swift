internal import Synchronization

/// Shows whether a disk hangs. Calls that write to the store report here when they begin and end.
package final class StoreActivity: Sendable {
  /// `since` is when the first running call began, or when another one returned if that was later.
  private let state = Mutex((underWay: 0, since: ContinuousClock.Instant?.none))

  /// How long calls have been running without one that returned. Nil if no call is running.
  package func silence(at now: ContinuousClock.Instant = .now) -> Duration? {
    state.withLock { state in state.since.map { $0.duration(to: now) } }
  }

  package func begin(at now: ContinuousClock.Instant = .now) {
    state.withLock { state in
      state.underWay += 1
      state.since = state.since ?? now
    }
  }

  package func end(at now: @autoclosure () -> ContinuousClock.Instant = .now) {
    state.withLock { state in
      state.underWay -= 1
      state.since = state.underWay > 0 ? now() : nil
    }
  }
}
