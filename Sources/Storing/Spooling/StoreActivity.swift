internal import Synchronization

/// Tells whether a disk hangs: calls that write to the store note here when they begin and when they return.
package final class StoreActivity: Sendable {
  /// `since` is when the first of the calls under way began, or another returned, if that was later.
  private let state = Mutex((underWay: 0, since: ContinuousClock.Instant?.none))

  /// How long no call that is under way has returned; nil if none is under way.
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
