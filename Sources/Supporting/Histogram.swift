/// Counts durations by range, in a fixed amount of memory.
package struct Histogram: Equatable, Sendable {
  /// The inclusive upper bounds of the ranges in microseconds, from a cached file on loopback to
  /// the deadline. One more range counts longer durations.
  package static let bounds: [UInt64] = [
    1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000, 20_000_000, 30_000_000,
  ]

  /// One count per range.
  package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// The sum of all durations in microseconds.
  package private(set) var sum: UInt64 = 0

  package init() {}

  /// - Parameter counts: one per range.
  package init(counts: [UInt64]) { self.counts = counts }

  package var count: UInt64 { counts.reduce(0, &+) }

  package mutating func add(microseconds: Int) {
    let value = UInt64(max(0, microseconds))
    counts[Self.range(of: value)] &+= 1
    sum &+= value
  }

  /// The index of the range that a duration falls into.
  package static func range(of microseconds: UInt64) -> Int {
    bounds.firstIndex { microseconds <= $0 } ?? bounds.count
  }

  /// The duration in microseconds that a share of all durations, from 0 to 1, did not exceed.
  /// Assumes an even spread within each range. At most the last bound. Nil if nothing was counted.
  package func quantile(_ share: Double) -> Int? {
    let rank = share * Double(count)
    var (below, start): (UInt64, UInt64) = (0, 0)
    for (inside, bound) in zip(counts, Self.bounds) {
      if inside > 0, Double(below &+ inside) >= rank {
        return Int(start) + Int(Double(bound - start) * max(0, rank - Double(below)) / Double(inside))
      }
      below &+= inside
      start = bound
    }
    return count == 0 ? nil : Int(start)
  }
}
