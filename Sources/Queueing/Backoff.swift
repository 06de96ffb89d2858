/// Pauses between attempts at something unavailable: 0.1 s at first, doubled each time, at most 5 s, and each
/// shortened at random by up to half.
package struct Backoff: Sendable {
  private static let first = Duration.milliseconds(100)
  private static let longest = Duration.seconds(5)

  private var longestNext = Self.first

  package init() {}

  /// How long to pause now. Each call counts as a failed attempt.
  package mutating func next() -> Duration {
    defer { longestNext = min(longestNext * 2, Self.longest) }
    return longestNext * Double.random(in: 0.5...1)
  }
}
