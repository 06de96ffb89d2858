internal import Measuring
internal import Queueing

extension Forwarder {
  /// The longest wait until a message is looked at again that waits for an earlier one, or that is put off.
  private static let longestLook = Duration.milliseconds(100)

  /// Sends a batch until each of its messages is settled or given back.
  func send(_ batch: ForwardedBatch, _ inFlight: InFlightDeliveries) async {
    var waiting = batch.items
    // Lines are settled in their order, so those behind a message that is put off wait for it.
    var answered: [ForwardedBatch.Item] = []
    var pause = Backoff()
    var isFirstRound = true
    while !waiting.isEmpty, isFirstRound || goesOn(inFlight) {
      isFirstRound = false
      let now = ContinuousClock.now
      var due: [ForwardedBatch.Item] = []
      var later: [ForwardedBatch.Item] = []
      for item in waiting {
        if item.due <= now, order.isFirst(item.delivery.message, number: item.number) {
          due.append(item)
        } else {
          order.hold(item.delivery.message, number: item.number)
          later.append(item)
        }
      }
      guard !due.isEmpty else {
        await inFlight.pause(for: Self.longestLook)
        continue
      }
      guard let results = await send(due, inFlight, &pause) else {
        for item in due { order.hold(item.delivery.message, number: item.number) }
        continue
      }
      var done: [ForwardedBatch.Item] = []
      let retry =
        results.contains { if case .unavailable(_, nil) = $0 { true } else { false } } ? pause.next() : .zero
      for (item, result) in zip(due, results) {
        var item = item
        switch result {
        case .sent: done.append(item)
        case .rejected(let rejection):
          item.rejection = rejection
          done.append(item)
        case .unavailable(let detail, let after):
          if let after, await postpone(item, for: after, detail, inFlight) {
            order.release(item.delivery.message, number: item.number)
            continue
          }
          log.trouble(.sending, QueueError.unavailable(detail), id: item.delivery.message.id)
          item.due = .now + (after ?? retry)
          order.hold(item.delivery.message, number: item.number)
          later.append(item)
        }
      }
      waiting = later.sorted { $0.number < $1.number }
      for item in done { order.release(item.delivery.message, number: item.number) }
      if drainable == nil { await settle(done, inFlight) } else { answered += done }
    }
    await giveBack(waiting, inFlight)
    if drainable != nil { await settle(answered.sorted { $0.number < $1.number }, inFlight) }
  }

  /// Puts aside what the sink wants later. Returns false if the source puts nothing aside.
  private func postpone(
    _ item: ForwardedBatch.Item, for duration: Duration, _ detail: String, _ inFlight: InFlightDeliveries
  ) async -> Bool {
    guard let postponement else { return false }
    var pause = Backoff()
    while true {
      do throws(QueueError) {
        try await postponement.postpone(item.delivery, for: duration)
        break
      } catch {
        log.trouble(.sending, error, id: item.delivery.message.id)
        // It may be put aside all the same, so it must not be sent again without asking.
        guard case .unavailable = error, goesOn(inFlight) else { return false }
        await inFlight.pause(&pause)
      }
    }
    measurements.postpone(1)
    log.postponed(item.delivery.message, duration, detail)
    inFlight.leave(item.delivery)
    measurements.leave()
    return true
  }

  /// The answers of the sink. Nil if it cannot be reached, after a pause.
  private func send(
    _ items: [ForwardedBatch.Item], _ inFlight: InFlightDeliveries, _ pause: inout Backoff
  ) async -> [SendResult]? {
    do throws(QueueError) {
      status.begin(.publishing)
      var results = try await target.send(items.map(\.delivery.message))
      status.succeed(.publishing)
      if results.contains(.sent) { log.over(.sending) }
      // Otherwise a message without an answer would be settled and lost.
      while results.count < items.count { results.append(.unavailable("there is no answer", after: nil)) }
      return results
    } catch {
      status.fail(.publishing)
      measurements.failToPublish(error.kind)
      if case .unavailable = error {
        log.trouble(.sending, error)
        await inFlight.pause(&pause)
      } else {
        inFlight.close(because: error)
      }
      return nil
    }
  }

  /// Whether to send what is put off. After a stop, only what cannot be put back.
  private func goesOn(_ inFlight: InFlightDeliveries) -> Bool {
    guard inFlight.closing == nil, !Task.isCancelled else { return false }
    guard let stop = inFlight.stopTime else { return true }
    return drainable != nil && .now < stop + Self.stopTime
  }

  private func settle(_ items: [ForwardedBatch.Item], _ inFlight: InFlightDeliveries) async {
    if drainable != nil {
      for item in items { await settle(item, inFlight) }
    } else {
      await withDiscardingTaskGroup { group in
        for item in items { group.addTask { await self.settle(item, inFlight) } }
      }
    }
    inFlight.leave(items.lazy.map(\.delivery))
    guard !items.isEmpty else { return }
    let reasons = items.compactMap { $0.rejection?.reason }
    measurements.settle(sent: items.count - reasons.count, rejected: reasons)
    measurements.leave(items.count)
  }

  /// Writes the dead letter of a rejected message, and removes the message from its queue.
  private func settle(_ item: ForwardedBatch.Item, _ inFlight: InFlightDeliveries) async {
    let result = item.rejection.map {
      WorkResult(of: item.delivery.message, $0, after: .now - item.delivery.arrival)
    }
    let publications = result.map { [Publication($0.message, into: deadLetters)] } ?? []
    var pause = Backoff()
    var attempts = 0
    while true {
      do throws(QueueError) {
        try await source.settle(item.delivery, publishing: publications).orThrow()
        log.over(.deadLetters)
        if let result { log.outcome(result) }
        return
      } catch {
        // The message has been sent, so that a stop is no reason to give up at once.
        attempts += 1
        guard case .unavailable = error, goesOn(inFlight) || attempts < 10 else {
          if case .leaseLost = error {
            return log.trouble("a message was sent, and others have it", error, id: item.delivery.message.id)
          }
          return inFlight.close(because: error)
        }
        log.trouble(.deadLetters, error, id: item.delivery.message.id)
        await inFlight.pause(&pause)
      }
    }
  }

  /// Puts back what is not sent. What cannot be put back is lost, which ends the process with an error.
  private func giveBack(_ items: [ForwardedBatch.Item], _ inFlight: InFlightDeliveries) async {
    guard !items.isEmpty else { return }
    let deliveries = items.map(\.delivery)
    for item in items { order.release(item.delivery.message, number: item.number) }
    if drainable == nil {
      // If this fails, they are handed out again when this process has ended.
      try? await source.release(deliveries)
    } else {
      inFlight.close(because: .unavailable("told to stop, and \(items.count) messages could not be sent"))
      for delivery in deliveries { _ = try? await source.settle(delivery, publishing: []) }
    }
    inFlight.leave(deliveries)
    measurements.leave(deliveries.count)
  }
}
