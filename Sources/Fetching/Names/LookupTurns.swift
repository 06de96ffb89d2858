/// Whose turn it is to be asked for. Up to 16 names at once, the others in order.
///
/// A name without an answer goes back into the line when its time is up, and is asked for anew: a good name waits half a second for each
/// 16 new ones whose name servers are silent, and hardly for those that have been asked for before.
struct LookupTurns {
  static let maximum = 16
  static let shortest = Duration.milliseconds(500)

  private(set) var current: [Lookup] = []
  private var first: [Lookup] = []
  private var again: [Lookup] = []

  mutating func add(_ lookup: Lookup) { first.append(lookup) }

  mutating func remove(_ lookup: Lookup) {
    current.removeAll { $0 === lookup }
    first.removeAll { $0 === lookup }
    again.removeAll { $0 === lookup }
  }

  /// Takes the next one out of the line; nil while there is none, or no turn to be had.
  mutating func next(at now: ContinuousClock.Instant) -> Lookup? {
    let isFree = current.count < Self.maximum && !(first.isEmpty && again.isEmpty)
    guard isFree || giveUpOne(at: now) else { return nil }
    let lookup = first.isEmpty ? again.removeFirst() : first.removeFirst()
    lookup.beginTurn(at: now)
    current.append(lookup)
    return lookup
  }

  /// When somebody's turn will be over; nil while there is nobody whose turn could be.
  var end: ContinuousClock.Instant? {
    current.lazy.filter(\.isUnanswered).map { $0.end(forFirst: !first.isEmpty) }.min()
  }

  /// Whether somebody's turn is over. He is in the line then.
  private mutating func giveUpOne(at now: ContinuousClock.Instant) -> Bool {
    let index = current.firstIndex { $0.isUnanswered && $0.end(forFirst: !first.isEmpty) <= now }
    guard let index else { return false }
    let lookup = current.remove(at: index)
    lookup.query = nil
    again.append(lookup)
    return true
  }
}
