internal import Enriching

/// What a worker with `--when-store-fails wait` does while its store fails. No I/O, and no clock of its own.
///
/// The first `tolerance` failures in a row are published: a single one may be due to its payload. After them, the
/// worker waits: it tries the store once a second, and what fails meanwhile goes back to its queue.
struct StoreOutage {
  /// What becomes of a payload.
  enum Fate: Equatable {
    case publish
    /// It goes to the end of its queue. If its file is too large for what is left of the disk, the next try is
    /// made with another one.
    case goBack
  }

  /// What may be taken from the queue.
  enum Allowance: Equatable {
    case all
    /// One payload, if the store passes its own test.
    case one
    /// Nothing for that long.
    case none(Duration)
  }

  /// Why nothing is taken, and since when.
  struct Cause: Equatable {
    let start: ContinuousClock.Instant
    fileprivate(set) var failure: Failure
  }

  /// Payloads in a row that the store has failed for when the worker begins to wait.
  static let tolerance = 3
  /// Between two tries.
  static let pause = Duration.seconds(1)

  /// In a row.
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

  /// A payload has come to its result.
  /// - Returns: what becomes of it, if its queue can take it back.
  mutating func note(_ effect: StoreEffect, at now: ContinuousClock.Instant) -> Fate {
    switch effect {
    case .stored:
      failures = 0
      wait = nil
      isIdle = false
    case .untouched:
      // It says nothing of the store: another one may be tried at once.
      wait?.nextTry = now
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

  /// The worker is about to take something.
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
