internal import Enriching
internal import Measuring
internal import Queueing

extension Worker {
  /// The dead letter comes first, so that a crash in between repeats the letter, but not the push.
  func publications(of result: WorkResult) -> [Publication] {
    (result.isDeadLetter ? [deadLetters, target] : [target]).map { Publication(result.message, into: $0) }
  }

  /// Publishes and acknowledges. Retries while a queue is unavailable, but only until `end` if the
  /// worker was told to stop. A refusal is final. A rejected result becomes a dead letter.
  func settle(
    _ delivery: Delivery, _ result: WorkResult, publishing publications: [Publication],
    until end: ContinuousClock.Instant, among inFlight: InFlightDeliveries
  ) async {
    if result.isDeadLetter, await !awaitTurn(of: delivery, until: end, among: inFlight) { return }
    var pause = Backoff()
    var mayBeDone = false
    while true {
      status.begin(.publishing)
      let start = ContinuousClock.now
      var least = Duration.zero
      do throws(QueueError) {
        let answer = try await source.settle(delivery, publishing: publications)
        if let letter = letter(answer, of: delivery, result, publications) {
          // An invalid or poisonous message has its dead letter already.
          let rest = publications.isBegun ? [] : [Publication(letter.message, into: deadLetters)]
          return await settle(delivery, letter, publishing: rest, until: end, among: inFlight)
        }
        if case .unavailable(let detail, let after?) = answer {
          if try await postpone(delivery, for: after, detail) { return }
          least = after
        }
        try answer.orThrow()
        return note(result, published: .now - start)
      } catch {
        let goesOn = await recover(
          from: error, of: delivery, result, publications, mayBeDone: mayBeDone, since: start, until: end,
          among: inFlight)
        guard goesOn else { return }
        // The result may have been published, and the reply lost.
        mayBeDone = true
        await inFlight.pause(&pause, least: least)
      }
    }
  }

  /// Puts aside what its target wants later. Returns false if the source puts nothing aside.
  @inline(never)
  private func postpone(
    _ delivery: Delivery, for duration: Duration, _ detail: String
  ) async throws(QueueError) -> Bool {
    guard let postponement else { return false }
    try await postponement.postpone(delivery, for: duration)
    status.succeed(.publishing)
    measurements.postpone(1)
    log.postponed(delivery.message, duration, detail)
    return true
  }

  /// The dead letter for a `result` that its target has rejected, or else nil. Also nil if the dead
  /// letter is rejected. Then there is no place for the message, and the worker has to end.
  @inline(never)  // see `TaskPool`
  private func letter(
    _ answer: SendResult, of delivery: Delivery, _ result: WorkResult, _ publications: [Publication]
  ) -> WorkResult? {
    guard case .rejected(let rejection) = answer, result.rejection == nil,
      publications.last?.takeFailure() == true
    else { return nil }
    status.succeed(.publishing)
    return WorkResult(of: delivery.message, rejection, after: result.elapsed)
  }

  @inline(never)
  private func note(_ result: WorkResult, published duration: Duration) {
    status.succeed(.publishing)
    log.over(.publishing)
    if result.isDeadLetter { log.over(.deadLetters) }
    if let rejection = result.rejection {
      measurements.reject(rejection.reason)
    } else {
      measurements.publish(result.failure, result.report, isDeadLetter: result.isDeadLetter, after: duration)
    }
    log.outcome(result)
  }

  /// Handles a result of `delivery` that could not be published.
  /// - Parameters:
  ///   - mayBeDone: whether an earlier attempt may have published it.
  ///   - start: when this attempt began.
  /// - Returns: whether to try again.
  @inline(never)
  private func recover(
    from error: QueueError, of delivery: Delivery, _ result: WorkResult, _ publications: [Publication],
    mayBeDone: Bool, since start: ContinuousClock.Instant, until end: ContinuousClock.Instant,
    among inFlight: InFlightDeliveries
  ) async -> Bool {
    let isLetter = count(error, of: result, publications)
    // If the result is published, perhaps only the reply to the acknowledgment is lost. A broker that hangs may have
    // taken until `end` for that. Another attempt finds out.
    let time = publications.isBegun ? start : .now
    switch error {
    case .leaseLost:
      log.trouble(
        mayBeDone ? "a result was published already, or is dropped" : "a result is dropped", error,
        id: delivery.message.id)
      return false
    case .unavailable where !isOver(end, inFlight, at: time):
      log.trouble(isLetter ? .deadLetters : .publishing, error, id: delivery.message.id)
      return true
    case .unavailable, .refused, .urlInvalid:
      inFlight.close(because: error)
      log.trouble(
        "a \(isLetter ? "dead letter" : "result") cannot be published, its message \(await giveBack(delivery, isBegun: publications.isBegun))",
        error, id: delivery.message.id)
      return false
    }
  }

  /// - Returns: whether the dead letter is what failed.
  private func count(_ error: QueueError, of result: WorkResult, _ publications: [Publication]) -> Bool {
    let isLetter = result.isDeadLetter && publications.first?.takeFailure() == true
    if isLetter { measurements.failToPublish(error.kind, isDeadLetter: true) }
    if publications.last?.takeFailure() == true || !isLetter { measurements.failToPublish(error.kind) }
    // A queue that reports a lost lease is working.
    if case .leaseLost = error { status.succeed(.publishing) } else { status.fail(.publishing) }
    return isLetter
  }

  /// Gives `delivery` back. Later lines no longer wait for it.
  /// - Parameter isBegun: whether a publication is confirmed. If so, keeps the delivery until this
  ///   process ends, so that it counts as handed out. Otherwise each restart might publish the same
  ///   again, forever.
  /// - Returns: what happens to its message, for the log.
  private func giveBack(_ delivery: Delivery, isBegun: Bool) async -> String {
    let isKept = isBegun && drainable == nil
    if !isKept, (try? await source.release([delivery])) != nil { return "is given back" }
    return "is handed out again when this process has ended"
  }

  func isOver(
    _ end: ContinuousClock.Instant, _ inFlight: InFlightDeliveries, at time: ContinuousClock.Instant = .now
  ) -> Bool {
    // If the task is cancelled, nothing waits for it any longer, and pauses return at once.
    Task.isCancelled || (inFlight.stopTime != nil || inFlight.closing != nil) && time >= end
  }
}

extension QueueError {
  /// The name of the error in metrics.
  var kind: String {
    switch self {
    case .urlInvalid, .refused: "refused"
    case .unavailable: "unavailable"
    case .leaseLost: "lease_lost"
    }
  }
}
