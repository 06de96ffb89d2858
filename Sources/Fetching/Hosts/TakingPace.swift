internal import Supporting

/// How soon the next payloads are taken from the queue: at once while some of them can start, and after a pause
/// if all that came last time went back.
struct TakingPace {
  typealias Instant = MonotonicTime

  /// Since the last take.
  private var hasStarted = false
  private var hasReturned = false
  /// Takes in a row that brought nothing that could start.
  private var barren = 0
  private var next: Instant?

  mutating func noteStart() { hasStarted = true }
  mutating func noteReturn() { hasReturned = true }

  /// More payloads are wanted.
  mutating func noteTake(at now: Instant, _ limits: HostLimits) {
    if hasStarted {
      (barren, next) = (0, nil)
    } else if hasReturned {
      barren = min(barren + 1, 16)
      next = now + min(limits.firstTakingPause * (1 << (barren - 1)), limits.longestTakingPause)
    }
    (hasStarted, hasReturned) = (false, false)
  }

  func isOpen(at now: Instant) -> Bool { next.map { now >= $0 } ?? true }
}
