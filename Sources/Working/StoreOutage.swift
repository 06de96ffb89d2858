internal import Enriching

/// Decides what a worker with `--when-store-fails wait` does. Has no I/O and no clock of its own.
/// Publishes the first `tolerance` failures in a row, because one may be due to its payload. Then
/// the worker tries the store once a second, and failed payloads go back to their queue.
struct StoreOutage {
  enum Fate: Equatable {
    case publish
    /// Goes to the end of its queue. Its file may be too large, so another payload is next.
    case goBack
  }

  enum Allowance: Equatable {
    case all
    /// One payload, if the store passes its own test.
    case one
    case none(Duration)
  }

  struct Cause: Equatable {
    let start: ContinuousClock.Instant
    fileprivate(set) var failure: Failure
  }

  /// The worker begins to wait after this many failures in a row.
  static let tolerance = 3
  static let pause = Duration.seconds(1)

  private var failures = 0
  /// Nil while the worker takes everything.
  private var wait: (cause: Cause, nextTry: ContinuousClock.Instant)?
  /// Whether the store passed its own test at the last try, and there was no payload to take.
  private var isIdle = false

  /// Why payloads are held up. Nil if the store works, or passes its own test with an empty queue.
  var cause: Cause? { isIdle ? nil : wait?.cause }

  /// Begins to wait: the store failed its own test at the start, or `tolerance` payloads in a row.
  mutating func begin(_ failure: Failure, at now: ContinuousClock.Instant) {
    wait = (Cause(start: now, failure: failure), now + Self.pause)
    isIdle = false
  }

  /// - Returns: what happens to the payload that had this effect, if its queue can take it back.
  mutating func note(_ effect: StoreEffect, at now: ContinuousClock.Instant) -> Fate {
    switch effect {
    case .stored: self = StoreOutage()
    // This payload says nothing about the store, so another one may be tried at once.
    case .untouched: wait?.nextTry = now
    case .failed(let failure):
      failures += 1
      if wait != nil {
        fail(failure)
        return .goBack
      }
      if failures >= Self.tolerance { begin(failure, at: now) }
    }
    return .publish
  }

  mutating func allow(at now: ContinuousClock.Instant) -> Allowance {
    guard let next = wait?.nextTry else { return .all }
    guard now >= next else { return .none(now.duration(to: next)) }
    wait?.nextTry = now + Self.pause
    return .one
  }

  /// The store has failed its own test, or another payload.
  mutating func fail(_ failure: Failure) {
    wait?.cause.failure = failure
    isIdle = false
  }

  /// The store has passed its own test, and the queue was empty.
  mutating func findNothing() { isIdle = wait != nil }
}
