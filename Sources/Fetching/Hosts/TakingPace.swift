internal import Supporting

/// How soon the next payloads are taken from the queue, although all that can wait wait already. Each that goes
/// back costs some time, which each that can start makes up for: so taking goes on while there is something to
/// find, and little is moved in vain otherwise.
struct TakingPace {
  typealias Instant = MonotonicTime

  /// For a payload that goes back: 64 a second.
  private static let cost = Duration.microseconds(15_625)
  /// For a payload that can start: the cost of others that may have been taken with it.
  private static let worth = cost * 16
  /// Time that is there to be used up: for 128 that go back.
  private static let most = cost * 128

  private var next: Instant?

  mutating func noteStart() { next = next.map { $0 - Self.worth } }

  mutating func noteReturn(at now: Instant) {
    next = max(next ?? now - Self.most, now - Self.most) + Self.cost
  }

  func isOpen(at now: Instant) -> Bool { next.map { now >= $0 } ?? true }
}
