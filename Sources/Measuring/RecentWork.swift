package import Supporting

/// The finished payloads of the last five minutes, in a ring of slots of five seconds.
package struct RecentWork: Sendable {
  package static let slotSeconds = 5
  package static let slotCount = 60

  /// The work of one slot.
  package struct Pace: Equatable, Sendable {
    package var finished = 0
    /// How many of these asked for media and did not get it.
    package var failed = 0
  }

  private static let verdicts = Verdict.allCases
  private static let ranges = verdicts.count + 2
  private static let width = ranges + Histogram.bounds.count + 1

  /// For each slot: one count per verdict, the messages that were sent as they are, those that were rejected,
  /// and one count per range of durations.
  private var counts = [UInt32](repeating: 0, count: slotCount * width)
  /// The number of the slot that is being filled, counted from the start.
  private var last = 0

  /// - Parameter slot: counted from the start. Work for an earlier slot goes into the last one.
  mutating func add(_ verdict: Verdict, microseconds: Int, in slot: Int) {
    advance(to: slot)
    let start = last % Self.slotCount * Self.width
    counts[start + verdict.index] &+= 1
    counts[start + Self.ranges + Histogram.range(of: UInt64(max(0, microseconds)))] &+= 1
  }

  /// Counts messages that were sent as they are, and that the target rejected.
  mutating func add(sent: Int, rejected: Int, in slot: Int) {
    advance(to: slot)
    let start = last % Self.slotCount * Self.width + Self.verdicts.count
    counts[start] &+= UInt32(sent)
    counts[start + 1] &+= UInt32(rejected)
  }

  /// Forgets the slots that are too old once `slot` has begun.
  mutating func advance(to slot: Int) {
    guard slot > last else { return }
    for passed in max(last + 1, slot - Self.slotCount + 1)...slot {
      let start = passed % Self.slotCount * Self.width
      for index in start..<start + Self.width { counts[index] = 0 }
    }
    last = slot
  }

  /// One pace per slot, oldest first. The last slot is still being filled.
  package var paces: [Pace] {
    (1...Self.slotCount).map { offset in
      let start = (last + offset) % Self.slotCount * Self.width
      var pace = Pace()
      for (verdict, count) in zip(Self.verdicts, counts[start...]) {
        pace.finished += Int(count)
        if verdict.isFailure { pace.failed += Int(count) }
      }
      let rejected = Int(counts[start + Self.verdicts.count + 1])
      pace.finished += Int(counts[start + Self.verdicts.count]) + rejected
      pace.failed += rejected
      return pace
    }
  }

  /// One count per verdict of `Verdict.allCases`.
  package var verdictCounts: [Int] { Self.verdicts.indices.map { Int(total(at: $0)) } }

  package var durations: Histogram {
    Histogram(counts: (Self.ranges..<Self.width).map { total(at: $0) })
  }

  private func total(at column: Int) -> UInt64 {
    (0..<Self.slotCount).reduce(0) { $0 + UInt64(counts[$1 * Self.width + column]) }
  }
}
