internal import Synchronization

/// What keeps a worker from its work, as it is told: at once, then every ten seconds with how often it was
/// met, and when it is over. All that is in flight meets it again and again.
final class Troubles: Sendable {
  enum Kind: CaseIterable { case taking, publishing, deadLetters, standingBack, storing }

  private struct State {
    /// Met, and not told.
    var count = 0
    var lastTold: ContinuousClock.Instant?
    /// Since when; nil where it was not told, or is over.
    var start: ContinuousClock.Instant?
  }

  private static let pause = Duration.seconds(10)
  /// Where it was over meanwhile.
  private static let shortPause = Duration.seconds(1)

  private let states = Mutex<[Kind: State]>([:])

  /// - Returns: how often it was met since it was told; nil where it is not to be told now.
  func meet(_ kind: Kind, at now: ContinuousClock.Instant = .now) -> Int? {
    states.withLock { states in
      var state = states[kind] ?? State()
      defer { states[kind] = state }
      state.count += 1
      let pause = state.start == nil ? Self.shortPause : Self.pause
      if let last = state.lastTold, now - last < pause { return nil }
      defer { state.count = 0 }
      state.lastTold = now
      state.start = state.start ?? now
      return state.count
    }
  }

  /// - Returns: how long it was there; nil where there is nothing to be told.
  func end(_ kind: Kind, at now: ContinuousClock.Instant = .now) -> Duration? {
    states.withLock { states in
      guard let start = states[kind]?.start else { return nil }
      states[kind]?.start = nil
      states[kind]?.count = 0
      return now - start
    }
  }
}
