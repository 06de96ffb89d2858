/// The lookup of one host name, shared by all exchanges that need its addresses.
final class Lookup {
  /// In lower case, without a trailing dot.
  let host: String
  var exchanges: [Exchange] = []
  /// Nil while the lookup waits in `LookupQueue`.
  var query: NameQuery?
  fileprivate(set) var attemptStart = ContinuousClock.now
  /// The length of the current attempt. Each attempt is twice as long as the one before, up to 8 s.
  fileprivate(set) var patience = LookupQueue.shortestAttempt

  init(host: String) { self.host = host }

  var isUnanswered: Bool { query?.isHalfAnswered != true }
}

/// The names that are being looked up, at most 16, and those that wait, in order. A lookup whose
/// attempt ends without an answer goes back into the queue. So 16 new names with silent name
/// servers delay a good name by a few typical response times.
struct LookupQueue {
  static let maximumActive = 16
  /// The length of the first attempt. It is shorter if responses come sooner and a new name waits.
  static let shortestAttempt = Duration.milliseconds(500)

  private(set) var active: [Lookup] = []
  private var untried: [Lookup] = []
  private var tried: [Lookup] = []
  /// How long the slower name servers take to answer; nil before the first response.
  private var responseTime: Duration?

  var hasNewNames: Bool { !untried.isEmpty }
  mutating func add(_ lookup: Lookup) { untried.append(lookup) }

  mutating func remove(_ lookup: Lookup) {
    active.removeAll { $0 === lookup }
    untried.removeAll { $0 === lookup }
    tried.removeAll { $0 === lookup }
  }

  mutating func answered(after time: Duration) { responseTime = max(time, (responseTime ?? time) * 7 / 8) }

  mutating func next(at now: ContinuousClock.Instant) -> Lookup? {
    let isFree = active.count < Self.maximumActive && !(untried.isEmpty && tried.isEmpty)
    guard isFree || requeueOne(at: now) else { return nil }
    let lookup = untried.isEmpty ? tried.removeFirst() : untried.removeFirst()
    lookup.attemptStart = now
    active.append(lookup)
    return lookup
  }

  /// When the first attempt ends; nil if every active lookup has part of its answer.
  var firstEnd: ContinuousClock.Instant? { active.lazy.filter(\.isUnanswered).map { end(of: $0) }.min() }

  private func end(of lookup: Lookup) -> ContinuousClock.Instant {
    if untried.isEmpty { return lookup.attemptStart + lookup.patience }
    let typical = responseTime.map { max($0 * 4, .milliseconds(25)) } ?? Self.shortestAttempt
    return lookup.attemptStart + min(typical, Self.shortestAttempt)
  }

  /// Puts a lookup whose attempt is over back into the queue. Returns false if there is none.
  private mutating func requeueOne(at now: ContinuousClock.Instant) -> Bool {
    let index = active.firstIndex { $0.isUnanswered && end(of: $0) <= now }
    guard let lookup = index.map({ active.remove(at: $0) }) else { return false }
    lookup.query = nil
    lookup.patience = min(lookup.patience * 2, .seconds(8))
    tried.append(lookup)
    return true
  }
}
