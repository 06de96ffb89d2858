package import Enriching
internal import Fetching
internal import Supporting
internal import Synchronization

/// What a worker has done and is doing, in numbers. Its size is fixed, however much the worker does.
package final class Measurements: Sendable {
  private let start: ContinuousClock.Instant
  private let state = Mutex(Tally())

  package init(start: ContinuousClock.Instant = .now) { self.start = start }

  /// A snapshot of everything that is counted.
  package func tally(at now: ContinuousClock.Instant = .now) -> Tally {
    let elapsed = Double((now - start).microseconds) / 1_000_000
    return state.withLock { tally in
      tally.advance(to: elapsed)
      return tally
    }
  }

  /// Counts messages that the queue has handed out to this worker.
  package func receive(_ count: Int) {
    state.withLock {
      $0.consumed &+= UInt64(count)
      $0.inFlight += count
    }
  }

  /// Counts a failed attempt to take messages from the queue.
  package func failToReceive() { state.withLock { $0.receiveErrors &+= 1 } }

  /// Counts a message that went back to its queue.
  package func returnMessage() { state.withLock { $0.returned &+= 1 } }

  /// Counts a message as no longer in flight, whatever became of it.
  package func leave() { state.withLock { $0.inFlight -= 1 } }

  /// Counts a failed attempt to publish a result.
  /// - Parameters:
  ///   - error: the kind of error, one of few: each kind is a series of the metric.
  ///   - isDeadLetter: whether it was the queue of dead letters that did not take it.
  package func failToPublish(_ error: String, isDeadLetter: Bool = false) {
    let errors = isDeadLetter ? \Tally.letterErrors : \Tally.publishErrors
    state.withLock { $0[keyPath: errors][error, default: 0] &+= 1 }
  }

  /// Counts a result that is published, with its message acknowledged.
  /// - Parameters:
  ///   - report: how the result came about; nil for a message that was not processed.
  ///   - duration: how long publishing took.
  package func publish(
    _ failure: Failure?, _ report: Report?, isDeadLetter: Bool, after duration: Duration,
    at now: ContinuousClock.Instant = .now
  ) {
    let verdict = Verdict(failure)
    let elapsed = report?.elapsed.microseconds ?? 0
    let media = report?.media.map { MediumTally($0, elapsed: elapsed) } ?? []
    let host = failure.flatMap { failure in
      (media.first { $0.reason == failure.reason } ?? media.first { $0.reason == nil })?.host
    }
    let slot = slot(at: now)
    state.withLock { tally in
      tally.publishing.add(microseconds: duration.microseconds)
      tally.deadLetters &+= isDeadLetter ? 1 : 0
      tally.verdicts[verdict.index] &+= 1
      tally[keyPath: failure == nil ? \Tally.enriched : \Tally.unmodified].add(microseconds: elapsed)
      tally.recent.add(verdict, microseconds: elapsed, in: slot)
      for medium in media { tally.add(medium, in: slot) }
      if let failure, verdict.isFailure { tally.failures.add(failure, host: host, at: now) }
    }
  }

  /// Counts a message whose result the target will never take, and that is a dead letter now.
  /// - Parameter reason: one of few, as the kinds of errors are.
  package func reject(_ reason: String) {
    failToPublish(reason)
    state.withLock { $0.deadLetters &+= 1 }
  }

  private func slot(at now: ContinuousClock.Instant) -> Int {
    (now - start).milliseconds / (RecentWork.slotSeconds * 1_000)
  }
}
