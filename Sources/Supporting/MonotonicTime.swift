/// An instant of `ContinuousClock` as a plain number. The layout of the clock's own instants is known only at
/// run time: whatever holds one is copied and compared by calls through tables, which was half of what the
/// scheduling of hosts took.
package struct MonotonicTime: Comparable, Sendable {
  private static let origin = ContinuousClock.now

  private var sinceOrigin: Duration

  private init(sinceOrigin: Duration) { self.sinceOrigin = sinceOrigin }

  package static var now: Self { Self(sinceOrigin: .now - origin) }

  /// The same instant for others.
  package var instant: ContinuousClock.Instant { Self.origin + sinceOrigin }

  package static func < (left: Self, right: Self) -> Bool { left.sinceOrigin < right.sinceOrigin }
  package static func - (left: Self, right: Self) -> Duration { left.sinceOrigin - right.sinceOrigin }

  package static func - (time: Self, duration: Duration) -> Self {
    Self(sinceOrigin: time.sinceOrigin - duration)
  }

  package static func + (time: Self, duration: Duration) -> Self {
    Self(sinceOrigin: time.sinceOrigin + duration)
  }

  package static func += (time: inout Self, duration: Duration) { time.sinceOrigin += duration }
}
