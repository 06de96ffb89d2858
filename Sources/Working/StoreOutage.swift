internal import Enriching

/// What a worker with `--when-store-fails wait` does while its store fails. No I/O, and no clock of its own.
/// The first `tolerance` failures in a row are published: a single one may be due to its payload. Then the
/// worker tries the store once a second, and what fails meanwhile goes back to its queue.
struct StoreOutage {
  enum Fate: Equatable {
    case publish
    /// To the end of its queue: its file may be too large for the disk, so the next try is another one.
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

  /// The worker begins to wait at this many failures in a row.
  static let tolerance = 3
  static let pause = Duration.seconds(1)

  private var failures = 0
  /// Nil while everything is taken.
  private var wait: (cause: Cause, nextTry: ContinuousClock.Instant)?
  /// Whether the store passed its own test at the last try, and there was no payload to take.
  private var isIdle = false

  /// Nil if nothing is held up: the store works, or it passes its own test and the queue is empty.
  var cause: Cause? { isIdle ? nil : wait?.cause }

  /// The store has failed its own test before anything was taken.
  mutating func begin(_ failure: Failure, at now: ContinuousClock.Instant) {
    wait = (Cause(start: now, failure: failure), now + Self.pause)
    isIdle = false
  }

  /// - Returns: what becomes of a payload that has come to its result, if its queue can take it back.
  mutating func note(_ effect: StoreEffect, at now: ContinuousClock.Instant) -> Fate {
    switch effect {
    case .stored: self = StoreOutage()
    // It says nothing of the store: another one may be tried at once.
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

  /// The store has failed its own test.
  mutating func fail(_ failure: Failure) {
    wait?.cause.failure = failure
    isIdle = false
  }

  /// The store has passed its own test, and the queue was empty.
  mutating func findNothing() { isIdle = wait != nil }
}
