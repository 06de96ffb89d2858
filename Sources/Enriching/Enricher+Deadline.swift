package import Fetching
package import Notifications
package import Supporting

/// Holds the steps to the deadline. Whatever happens to them, there is a result by then.
extension Enricher {
  /// Enriches `message`, or says why it goes out unmodified. A cancellation ends this at once, like
  /// the deadline.
  /// - Parameters:
  ///   - received: when the payload was received. The deadline counts from there.
  ///   - reservation: from `reservePlaces`. If it is nil, the payload waits for a place.
  package func enrich(
    _ message: PushMessage, pushType: PushType? = nil, received: ContinuousClock.Instant = .now,
    using reservation: PlaceReservation? = nil, recording progress: EnrichmentProgress = EnrichmentProgress()
  ) async -> Enrichment {
    let deadline = Deadline(settings.deadline, from: received)
    let result = await deadline.limit { [self] in
      await attempt(message, pushType: pushType, until: deadline, using: reservation, recording: progress)
    }
    return enrichment(of: message, result, received: received, recorded: progress)
  }

  /// Enriches on a task of a pool, so that most payloads need no second task.
  /// - Parameters:
  ///   - work: the pooled operation that calls this.
  ///   - giveUp: gets the result at the deadline, or when `work` is cancelled. It must not block.
  /// - Returns: nil if `giveUp` got the result.
  package func enrich(
    _ message: PushMessage, pushType: PushType?, received: ContinuousClock.Instant,
    using reservation: PlaceReservation?, recording progress: EnrichmentProgress, as work: PooledOperation,
    orElse giveUp: @escaping @Sendable (Enrichment) -> Void
  ) async -> Enrichment? {
    let deadline = Deadline(settings.deadline, from: received)
    let result = await deadline.limit(as: work) {
      await attempt(message, pushType: pushType, until: deadline, using: reservation, recording: progress)
    } orElse: { [self] in
      giveUp(enrichment(of: message, nil, received: received, recorded: progress))
    }
    return result.map { enrichment(of: message, $0, received: received, recorded: progress) }
  }

  private func attempt(
    _ message: PushMessage, pushType: PushType?, until deadline: Deadline,
    using reservation: PlaceReservation?,
    recording progress: EnrichmentProgress
  ) async -> Result<WrittenMessage, Failure> {
    do throws(Failure) {
      return .success(
        try await steps(message, pushType: pushType, until: deadline, using: reservation, recording: progress)
      )
    } catch {
      return .failure(error)
    }
  }

  /// - Parameter result: nil if the deadline came first.
  @inline(never)  // see `TaskPool`
  private func enrichment(
    of message: PushMessage, _ result: Result<WrittenMessage, Failure>?, received: ContinuousClock.Instant,
    recorded progress: EnrichmentProgress
  ) -> Enrichment {
    let outcome: Outcome
    switch result {
    case .success(let written):
      outcome = .enriched(written.bytes)
      progress.record(written)
    case .failure(let failure): outcome = .unmodified(message.bytes, failure)
    case nil:
      let patience = settings.storePatience
      let storeHangs = services.store.hangs(for: patience)
      outcome = .unmodified(message.bytes, progress.lateness(storeHangs: storeHangs, patience: patience))
    }
    services.memory.tidyUp()
    let report = Report(
      outcome, media: progress.media, elapsed: received.duration(to: .now), of: message,
      failures: progress.failures, category: progress.categoryReport(of: message), texts: progress.texts)
    return Enrichment(outcome: outcome, report: report)
  }
}
