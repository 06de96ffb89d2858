/// What was finished in the last five minutes, in slots of five seconds: a ring of fixed size.
package struct RecentWork: Sendable {
  package static let slotSeconds = 5
  package static let slotCount = 60

  /// How much was finished in one slot.
  package struct Pace: Equatable, Sendable {
    package var finished = 0
    /// Among them those that asked for media and did not get it.
    package var failed = 0
  }

  private static let verdicts = Verdict.allCases
  private static let width = verdicts.count + Histogram.bounds.count + 1

  /// Slot after slot: how often each verdict, then how many durations in each range.
  private var counts = [UInt32](repeating: 0, count: slotCount * width)
  /// The slot that is being filled, counted from the beginning.
  private var last = 0

  package init() {}

  /// - Parameter slot: since the beginning; never less than before.
  mutating func add(_ verdict: Verdict, microseconds: Int, in slot: Int) {
    advance(to: slot)
    let start = last % Self.slotCount * Self.width
    counts[start + verdict.index] &+= 1
    counts[start + Self.verdicts.count + Histogram.range(of: UInt64(max(0, microseconds)))] &+= 1
  }

  /// Forgets what is too old in `slot`.
  mutating func advance(to slot: Int) {
    guard slot > last else { return }
    for passed in max(last + 1, slot - Self.slotCount + 1)...slot {
      let start = passed % Self.slotCount * Self.width
      for index in start..<start + Self.width { counts[index] = 0 }
    }
    last = slot
  }

  /// Slot by slot, oldest first; the last one is being filled.
  package var paces: [Pace] {
    (1...Self.slotCount).map { offset in
      let start = (last + offset) % Self.slotCount * Self.width
      var pace = Pace()
      for (index, verdict) in Self.verdicts.enumerated() {
        let count = Int(counts[start + index])
        pace.finished += count
        if verdict.isFailure { pace.failed += count }
      }
      return pace
    }
  }

  /// How often each of `Verdict.allCases`.
  package var verdictCounts: [Int] { Self.verdicts.indices.map { Int(total(at: $0)) } }

  /// How long payloads took.
  package var durations: Histogram {
    Histogram(counts: (Self.verdicts.count..<Self.width).map { total(at: $0) })
  }

  private func total(at column: Int) -> UInt64 {
    (0..<Self.slotCount).reduce(0) { $0 + UInt64(counts[$1 * Self.width + column]) }
  }
}
