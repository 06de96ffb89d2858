internal import Enriching
package import Queueing
internal import Synchronization

/// Measures a queue's backlog for the status page: at most every five seconds, less often if that
/// is slow, and never twice at once, however often the page asks.
package final class BacklogWatch: Sendable {
  private struct State {
    var queue: (any Source)?
    var isMeasuring = false
    var last: (backlog: Backlog?, time: ContinuousClock.Instant)?
    var nextTime = ContinuousClock.now
  }

  private static let longestPause = Duration.seconds(30)
  private static let validity = Duration.seconds(60)

  private let pause: Duration
  private let state: Mutex<State>

  package init(_ queue: (any Source)? = nil, pause: Duration = .seconds(5)) {
    self.pause = pause
    state = Mutex(State(queue: queue))
  }

  package func begin(with queue: any Source) { state.withLock { $0.queue = queue } }

  /// The last measurement, or nil if the queue cannot report one or does not answer. Returns within
  /// half a second.
  package var backlog: Backlog? {
    get async {
      let now = ContinuousClock.now
      let isDue = state.withLock { state in
        guard !state.isMeasuring, now >= state.nextTime else { return false }
        state.isMeasuring = true
        return true
      }
      // If measuring takes longer, its result is for the next caller.
      if isDue { _ = await Deadline(.milliseconds(500)).limit { [self] in await measure(at: now) } }
      return state.withLock { state in
        guard let last = state.last, ContinuousClock.now - last.time < Self.validity else { return nil }
        return last.backlog
      }
    }
  }

  private func measure(at start: ContinuousClock.Instant) async {
    let backlog = (try? await state.withLock { $0.queue }?.backlog) ?? nil
    let end = ContinuousClock.now
    state.withLock { state in
      state.isMeasuring = false
      state.last = (backlog, end)
      // Measures for at most a hundredth of the time, unless one measurement takes over 0.3 s.
      state.nextTime = end + max(pause, min((end - start) * 99, Self.longestPause))
    }
  }
}
