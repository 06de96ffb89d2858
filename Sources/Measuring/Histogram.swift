/// How many durations fell into which range: of fixed size, however many there are.
package struct Histogram: Equatable, Sendable {
  /// The upper ends of the ranges in microseconds, inclusive; what is longer than the last has a range of its
  /// own. From a cached file on loopback to the deadline.
  package static let bounds: [UInt64] = [
    1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000, 20_000_000, 30_000_000,
  ]

  /// For each range.
  package private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  /// In microseconds.
  package private(set) var sum: UInt64 = 0

  package init() {}

  init(counts: [UInt64]) { self.counts = counts }

  package var count: UInt64 { counts.reduce(0, &+) }

  mutating func add(microseconds: Int) {
    let value = UInt64(max(0, microseconds))
    counts[Self.range(of: value)] &+= 1
    sum &+= value
  }

  /// The index of the range that a duration falls into.
  static func range(of microseconds: UInt64) -> Int {
    bounds.firstIndex { microseconds <= $0 } ?? bounds.count
  }

  /// The duration in microseconds that this share, from 0 to 1, did not exceed, as if those of a range were
  /// spread over it evenly. No more than the last bound; nil where there is none.
  package func quantile(_ share: Double) -> Int? {
    let count = self.count
    guard count > 0 else { return nil }
    let rank = share * Double(count)
    var below: UInt64 = 0
    for (index, bound) in Self.bounds.enumerated() {
      let inside = counts[index]
      if inside > 0, Double(below &+ inside) >= rank {
        let start = index == 0 ? 0 : Self.bounds[index - 1]
        return Int(start) + Int(Double(bound - start) * max(0, rank - Double(below)) / Double(inside))
      }
      below &+= inside
    }
    return Self.bounds.last.map { Int($0) }
  }
}
