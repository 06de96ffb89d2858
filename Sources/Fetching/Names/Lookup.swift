/// The lookup of one host name, shared by all exchanges that want its addresses.
final class Lookup {
  /// In lower case, without a dot at its end.
  let host: String
  /// The exchanges that wait for it, in order.
  var waiting: [(id: Exchange.ID, completion: Resolver.Completion)] = []
  /// Nil while it waits in `LookupQueue`.
  var query: NameQuery?
  /// How often its name servers have been asked.
  private(set) var attempts = 0
  private var attemptStart = ContinuousClock.now

  init(host: String) {
    self.host = host
  }

  /// Whether nothing is known of it yet.
  var isUnanswered: Bool { query?.isHalfAnswered != true }

  func beginAttempt(at now: ContinuousClock.Instant) {
    attempts += 1
    attemptStart = now
  }

  /// How long the current attempt has lasted.
  func time(at now: ContinuousClock.Instant) -> Duration { now - attemptStart }

  /// When the current attempt is over: after `limit` if there is one, otherwise after twice the time of the
  /// attempt before, 8 s at most, so that slow name servers have their chance.
  /// - Parameter limit: what it gets while a name waits that has never been asked for.
  func attemptEnd(limit: Duration?) -> ContinuousClock.Instant {
    attemptStart + (limit ?? LookupQueue.shortestAttempt * (1 << min(max(0, attempts - 1), 4)))
  }
}
