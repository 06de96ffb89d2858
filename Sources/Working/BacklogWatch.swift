internal import Enriching
package import Queueing
internal import Synchronization

/// What there is to do in a queue, for whoever asks, however often and however slow the queue is: it is looked at once in five seconds at
/// most, less often where a look takes long, and never twice at once. Nobody who works waits for that.
package final class BacklogWatch: Sendable {
  private struct State {
    /// Nil until it is open.
    var queue: (any Queue)?
    var isLooking = false
    var backlog: Backlog?
    /// When `backlog` was seen.
    var time: ContinuousClock.Instant?
    var nextLook: ContinuousClock.Instant
  }

  /// Between two looks at most.
  private static let longestPause = Duration.seconds(30)
  /// What was seen longer ago is not told any more.
  private static let validity = Duration.seconds(60)

  private let pause: Duration
  private let state: Mutex<State>

  /// - Parameter pause: between two looks at least.
  package init(_ queue: (any Queue)? = nil, pause: Duration = .seconds(5)) {
    self.pause = pause
    state = Mutex(State(queue: queue, nextLook: .now))
  }

  /// Looks at `queue` from now on.
  package func begin(with queue: any Queue) { state.withLock { $0.queue = queue } }

  /// What was seen last; nil where the queue cannot tell, or has not for some time. Returns within half a second.
  package var backlog: Backlog? {
    get async {
      let now = ContinuousClock.now
      let isDue = state.withLock { state in
        guard !state.isLooking, now >= state.nextLook else { return false }
        state.isLooking = true
        return true
      }
      // Left behind if it takes longer, and of use to whoever asks next.
      if isDue { _ = await Deadline(.milliseconds(500)).limit { [self] in await look(at: now) } }
      return state.withLock { state in
        guard let time = state.time, ContinuousClock.now - time < Self.validity else { return nil }
        return state.backlog
      }
    }
  }

  private func look(at start: ContinuousClock.Instant) async {
    let queue = state.withLock { $0.queue }
    let backlog = (try? await queue?.backlog) ?? nil
    let end = ContinuousClock.now
    state.withLock { state in
      state.isLooking = false
      state.backlog = backlog
      state.time = end
      // A hundredth of the time is enough for this.
      state.nextLook = end + max(pause, min((end - start) * 99, Self.longestPause))
    }
  }
}
