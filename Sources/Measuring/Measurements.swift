package import Enriching
internal import Fetching
internal import Supporting
internal import Synchronization

/// Counts the work of a worker, in a fixed amount of memory.
package final class Measurements: Sendable {
  private let start: ContinuousClock.Instant
  private let state = Mutex(Tally())

  package init(start: ContinuousClock.Instant = .now) { self.start = start }

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

  package func failToReceive() { state.withLock { $0.receiveErrors &+= 1 } }
  package func postpone(_ count: Int) { state.withLock { $0.postponed &+= UInt64(count) } }
  package func returnMessage() { state.withLock { $0.returned &+= 1 } }
  /// Counts a message as no longer in flight, however it ended.
  package func leave(_ count: Int = 1) { state.withLock { $0.inFlight -= count } }

  /// - Parameter status: the HTTP status, or 499 if the client of a door went away before its answer.
  package func answer(_ status: Int) { state.withLock { $0.answers[status, default: 0] &+= 1 } }

  /// - Parameter error: one of a few kinds, because each is a series of the metric.
  package func failToPublish(_ error: String, isDeadLetter: Bool = false) {
    let errors = isDeadLetter ? \Tally.letterErrors : \Tally.publishErrors
    state.withLock { $0[keyPath: errors][error, default: 0] &+= 1 }
  }

  /// Counts a result that was published, and whose message was acknowledged.
  /// - Parameters:
  ///   - report: nil for a message that was not processed.
  ///   - duration: how long publishing took.
  package func publish(
    _ failure: Failure?, _ report: Report?, isDeadLetter: Bool, after duration: Duration,
    at now: ContinuousClock.Instant = .now
  ) {
    let verdict = Verdict(failure)
    let elapsed = report?.elapsed.microseconds ?? 0
    let reports = report?.media ?? []
    // By index, because `map` copies each of them.
    let media = reports.indices.map { MediumTally(reports[$0], elapsed: elapsed) }
    let host = failure.flatMap { failure in
      (media.first { $0.reason == failure.reason } ?? media.first { $0.reason == nil })?.host
    }
    let slot = (now - start).milliseconds / (RecentWork.slotSeconds * 1_000)
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

  /// Counts messages that were sent as they are, or rejected for these reasons.
  package func settle(sent: Int, rejected reasons: [String], at now: ContinuousClock.Instant = .now) {
    let slot = (now - start).milliseconds / (RecentWork.slotSeconds * 1_000)
    state.withLock { tally in
      tally.sent &+= UInt64(sent)
      tally.deadLetters &+= UInt64(reasons.count)
      for reason in reasons { tally.publishErrors[reason, default: 0] &+= 1 }
      tally.recent.add(sent: sent, rejected: reasons.count, in: slot)
    }
  }

  /// Counts a dead letter: a message whose result the target will never accept.
  /// - Parameter reason: one of a few kinds.
  package func reject(_ reason: String) {
    failToPublish(reason)
    state.withLock { $0.deadLetters &+= 1 }
  }
}
