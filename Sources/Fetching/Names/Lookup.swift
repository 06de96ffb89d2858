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

  /// When its turn is over: soon if a name waits that nobody has asked for yet, otherwise after twice the time of the turn before, and 8 s
  /// at most, so that slow name servers have their chance.
  func end(forFirst isFirst: Bool) -> ContinuousClock.Instant {
    began + LookupTurns.shortest * (isFirst ? 1 : 1 << min(max(0, turns - 1), 4))
  }
}
