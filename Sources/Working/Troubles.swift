internal import Synchronization

/// Decides when to log what keeps a worker from its work: at once, then every ten seconds with a
/// count, and when it is over. All deliveries in flight meet the same trouble again and again.
final class Troubles: Sendable {
  /// The raw values are logged when a trouble is met.
  enum Kind: String, CaseIterable {
    case taking = "nothing can be taken from the queue, trying again"
    case opening = "the door cannot be opened, trying again"
    case extending = "leases cannot be renewed, trying again"
    case publishing = "a result cannot be published, trying again"
    case deadLetters = "a dead letter cannot be published, trying again"
    case sending = "messages cannot be sent, trying again"
    case resending = "missed pushes cannot be sent again, trying again"
    case numbering = "a push goes out without a position"
    case standingBack = "others wait for their dead letters: a message has gone to the end of its queue"
    case storing = "the store fails, nothing is taken until it works"

    /// What is logged when the trouble is over, or nil if that cannot be known.
    var end: String? {
      switch self {
      case .taking: "messages can be taken from the queue again"
      case .extending: "leases are renewed again"
      case .publishing: "results can be published again"
      case .deadLetters: "dead letters can be published again"
      case .sending: "messages can be sent again"
      case .resending: "missed pushes are sent again"
      // The door itself reports that it is open.
      case .opening: nil
      case .standingBack, .numbering: nil
      case .storing: "the store works again"
      }
    }
  }

  private struct State {
    var count = 0
    var lastTold: ContinuousClock.Instant?
    /// When the trouble began. Nil if it was not logged, or is over.
    var start: ContinuousClock.Instant?
  }

  private static let pause = Duration.seconds(10)
  /// The pause between two log lines if the trouble was over in between.
  private static let shortPause = Duration.seconds(1)

  private let states = Mutex<[Kind: State]>([:])

  /// - Returns: how often it was met since it was last logged. Nil if not to be logged now.
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

  /// - Returns: how long the trouble lasted, or nil if there is nothing to log.
  func end(_ kind: Kind, at now: ContinuousClock.Instant = .now) -> Duration? {
    states.withLock { states in
      guard let start = states[kind]?.start else { return nil }
      states[kind]?.start = nil
      states[kind]?.count = 0
      return now - start
    }
  }
}
