/// An instant of `ContinuousClock` as a plain number. The layout of the clock's own instants is
/// known only at run time: copying and comparing them took half of the time of scheduling hosts.
package struct MonotonicTime: Comparable, Sendable {
  private static let origin = ContinuousClock.now

  private var sinceOrigin: Duration

  package static var now: Self { Self(sinceOrigin: .now - origin) }
  package var instant: ContinuousClock.Instant { Self.origin + sinceOrigin }

  package static func < (left: Self, right: Self) -> Bool { left.sinceOrigin < right.sinceOrigin }
  package static func - (left: Self, right: Self) -> Duration { left.sinceOrigin - right.sinceOrigin }
  package static func - (time: Self, past: Duration) -> Self { Self(sinceOrigin: time.sinceOrigin - past) }
  package static func + (time: Self, more: Duration) -> Self { Self(sinceOrigin: time.sinceOrigin + more) }
  package static func += (time: inout Self, duration: Duration) { time.sinceOrigin += duration }
}
