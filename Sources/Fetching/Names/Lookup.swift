/// A host name that somebody wants to know the addresses of: however many want it, it is asked for once.
final class Lookup {
  /// In lower case, without a dot at its end.
  let host: String
  /// Those who wait for it, in order.
  var waiting: [(id: Exchange.ID, completion: Resolver.Completion)] = []
  /// Nil while it waits for its turn.
  var query: NameQuery?
  /// How often it has had its turn.
  private(set) var turns = 0
  private var began = ContinuousClock.now

  init(host: String) {
    self.host = host
  }

  /// Whether nothing is known of it yet.
  var isUnanswered: Bool { query?.isHalfAnswered != true }

  func beginTurn(at now: ContinuousClock.Instant) {
    turns += 1
    began = now
  }

  /// How long its turn has lasted.
  func time(at now: ContinuousClock.Instant) -> Duration { now - began }

  /// When its turn is over: soon if a name waits that nobody has asked for yet, otherwise after twice the time of the turn before, and 8 s
  /// at most, so that slow name servers have their chance.
  /// - Parameter patience: what it has in the first case; nil in the other.
  func end(patience: Duration?) -> ContinuousClock.Instant {
    began + (patience ?? LookupTurns.shortest * (1 << min(max(0, turns - 1), 4)))
  }
}
