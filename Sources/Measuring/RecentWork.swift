/// The finished payloads of the last five minutes, in a ring of slots of five seconds.
package struct RecentWork: Sendable {
  package static let slotSeconds = 5
  package static let slotCount = 60

  /// Of one slot.
  package struct Pace: Equatable, Sendable {
    package var finished = 0
    /// Those of them that asked for media and did not get it.
    package var failed = 0
  }

  private static let verdicts = Verdict.allCases
  private static let width = verdicts.count + Histogram.bounds.count + 1

  /// Slot after slot: a count per verdict, then a count per range of durations.
  private var counts = [UInt32](repeating: 0, count: slotCount * width)
  /// The slot that is being filled, counted from the start.
  private var last = 0

  /// - Parameter slot: counted from the start; never less than before.
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

  /// Slot by slot, oldest first. The last slot is being filled.
  package var paces: [Pace] {
    (1...Self.slotCount).map { offset in
      let start = (last + offset) % Self.slotCount * Self.width
      var pace = Pace()
      for (verdict, count) in zip(Self.verdicts, counts[start...]) {
        pace.finished += Int(count)
        if verdict.isFailure { pace.failed += Int(count) }
      }
      return pace
    }
  }

  /// One per verdict of `Verdict.allCases`.
  package var verdictCounts: [Int] { Self.verdicts.indices.map { Int(total(at: $0)) } }

  package var durations: Histogram {
    Histogram(counts: (Self.verdicts.count..<Self.width).map { total(at: $0) })
  }

  private func total(at column: Int) -> UInt64 {
    (0..<Self.slotCount).reduce(0) { $0 + UInt64(counts[$1 * Self.width + column]) }
  }
}
