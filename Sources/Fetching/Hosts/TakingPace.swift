internal import Supporting

/// How soon the next payloads are taken from the queue. What is taken and goes back uses up credit, which comes
/// back with time, and with each payload that can start: so taking goes on while there is something to find, and
/// little is moved in vain otherwise.
struct TakingPace {
  typealias Instant = MonotonicTime

  /// Payloads that may go back before there is a pause.
  private static let most = 128
  /// Credit for one that can start: the others that may have been taken with it.
  private static let worth = 16
  /// Credit of a second.
  private static let rate = 64
  /// Below this, none is taken.
  private static let least = 16

  private var credit = Self.most
  private var last: Instant?

  mutating func noteStart() { credit = min(credit + Self.worth, Self.most) }

  mutating func noteReturn() { credit = max(0, credit - 1) }

  /// Whether payloads may be taken although all that can wait wait already.
  mutating func isOpen(at now: Instant) -> Bool {
    if let last {
      let earned = (now - last).milliseconds * Self.rate / 1_000
      if earned > 0 { (credit, self.last) = (min(credit + earned, Self.most), now) }
    } else {
      last = now
    }
    return credit >= Self.least
  }
}
