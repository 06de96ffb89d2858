/// Which names are being looked up, 16 at most, and which wait, in order.
///
/// A lookup without an answer goes back into the queue when its attempt is over, and is asked for anew. For
/// every 16 new names whose name servers are silent, a good name is delayed by a few typical response times;
/// names that have been tried before hardly delay it.
struct LookupQueue {
  static let maximumActive = 16
  /// An attempt lasts this long at the least, unless responses are known to come sooner and a name waits that
  /// has not been tried.
  static let shortestAttempt = Duration.milliseconds(500)
  private static let leastLimit = Duration.milliseconds(25)

  private(set) var active: [Lookup] = []
  private var untried: [Lookup] = []
  private var tried: [Lookup] = []
  /// How long name servers take to answer, the slower ones at least; nil before the first response.
  private var responseTime: Duration?

  /// Whether a name waits that has not been tried.
  var hasNewNames: Bool { !untried.isEmpty }

  mutating func add(_ lookup: Lookup) { untried.append(lookup) }

  mutating func remove(_ lookup: Lookup) {
    active.removeAll { $0 === lookup }
    untried.removeAll { $0 === lookup }
    tried.removeAll { $0 === lookup }
  }

  /// A response has arrived this long after its attempt began.
  mutating func answered(after time: Duration) { responseTime = max(time, (responseTime ?? time) * 7 / 8) }

  /// How long an attempt may last while a name waits that has not been tried.
  private var limit: Duration {
    guard let responseTime else { return Self.shortestAttempt }
    return min(max(responseTime * 4, Self.leastLimit), Self.shortestAttempt)
  }

  /// Starts the next attempt; nil if no name waits, or all 16 attempts are under way.
  mutating func next(at now: ContinuousClock.Instant) -> Lookup? {
    let isFree = active.count < Self.maximumActive && !(untried.isEmpty && tried.isEmpty)
    guard isFree || requeueOne(at: now) else { return nil }
    let lookup = untried.isEmpty ? tried.removeFirst() : untried.removeFirst()
    lookup.beginAttempt(at: now)
    active.append(lookup)
    return lookup
  }

  /// When the first of the attempts will be over; nil if all of them have a part of their answer.
  var firstEnd: ContinuousClock.Instant? {
    active.lazy.filter(\.isUnanswered).map { end(of: $0) }.min()
  }

  private func end(of lookup: Lookup) -> ContinuousClock.Instant {
    lookup.attemptEnd(limit: untried.isEmpty ? nil : limit)
  }

  /// Puts a lookup whose attempt is over back into the queue.
  /// - Returns: whether there was one.
  private mutating func requeueOne(at now: ContinuousClock.Instant) -> Bool {
    let index = active.firstIndex { $0.isUnanswered && end(of: $0) <= now }
    guard let index else { return false }
    let lookup = active.remove(at: index)
    lookup.query = nil
    tried.append(lookup)
    return true
  }
}
