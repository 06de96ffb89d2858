/// Whose turn it is to be asked for. Up to 16 names at once, the others in order.
///
/// A name without an answer goes back into the line when its time is up, and is asked for anew: a good name waits for each 16 new ones
/// whose name servers are silent a few times as long as others take to answer, and hardly for those that have been asked for before.
struct LookupTurns {
  static let maximum = 16
  /// What a turn lasts at the least, unless others show that answers come sooner and a name waits that nobody has asked for yet.
  static let shortest = Duration.milliseconds(500)
  private static let leastPatience = Duration.milliseconds(25)

  private(set) var current: [Lookup] = []
  private var first: [Lookup] = []
  private var again: [Lookup] = []
  /// What answers take, the slow ones at least; nil before the first one.
  private var answerTime: Duration?

  /// Whether somebody is in the line whom nobody has asked for yet.
  var hasNewcomers: Bool { !first.isEmpty }

  mutating func add(_ lookup: Lookup) { first.append(lookup) }

  mutating func remove(_ lookup: Lookup) {
    current.removeAll { $0 === lookup }
    first.removeAll { $0 === lookup }
    again.removeAll { $0 === lookup }
  }

  /// There is an answer, so long after its turn began.
  mutating func noteAnswer(after time: Duration) { answerTime = max(time, (answerTime ?? time) * 7 / 8) }

  /// How long a name is waited for while another has never been asked for.
  private var patience: Duration {
    guard let answerTime else { return Self.shortest }
    return min(max(answerTime * 4, Self.leastPatience), Self.shortest)
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
    current.lazy.filter(\.isUnanswered).map { end(of: $0) }.min()
  }

  private func end(of lookup: Lookup) -> ContinuousClock.Instant {
    lookup.end(patience: first.isEmpty ? nil : patience)
  }

  /// Whether somebody's turn is over. He is in the line then.
  private mutating func giveUpOne(at now: ContinuousClock.Instant) -> Bool {
    let index = current.firstIndex { $0.isUnanswered && end(of: $0) <= now }
    guard let index else { return false }
    let lookup = current.remove(at: index)
    lookup.query = nil
    again.append(lookup)
    return true
  }
}
