internal import Measuring
internal import Queueing
internal import Supporting

extension Forwarder {
  /// The pauses before another look at messages that wait for earlier ones, or for their time.
  private static let look = PollingPause(first: .milliseconds(1))

  /// Sends a batch until each of its messages is settled or given back.
  func send(_ batch: ForwardedBatch, _ inFlight: InFlightDeliveries) async {
    var waiting = batch.items
    // Lines are settled in order, so lines behind a message that is put off wait for it.
    var answered: [ForwardedBatch.Item] = []
    var pause = Backoff()
    var look = Self.look
    var isFirstRound = true
    while !waiting.isEmpty, isFirstRound || goesOn(inFlight) {
      isFirstRound = false
      let parts = order.split(waiting, at: .now)
      waiting = parts.waiting + (await postpone(parts.aside, inFlight))
      guard !parts.due.isEmpty else {
        guard parts.aside.isEmpty else { continue }
        await inFlight.pause(for: look.next())
        continue
      }
      look = Self.look
      if let results = await send(parts.due, inFlight, &pause) {
        let done = await take(results, to: parts.due, &waiting, &pause, inFlight)
        order.leave(done)
        if drainable == nil { await settle(done, inFlight) } else { answered += done }
      } else {
        waiting += parts.due
      }
      waiting.sort { $0.number < $1.number }
    }
    await giveBack(waiting, inFlight)
    if drainable != nil { await settle(answered.sorted { $0.number < $1.number }, inFlight) }
  }

  /// Puts aside messages that the sink wants later. If that is not possible, adds them to `waiting`.
  /// - Returns: the messages to settle.
  private func take(
    _ results: [SendResult], to items: [ForwardedBatch.Item], _ waiting: inout [ForwardedBatch.Item],
    _ pause: inout Backoff, _ inFlight: InFlightDeliveries
  ) async -> [ForwardedBatch.Item] {
    var done: [ForwardedBatch.Item] = []
    var aside: [ForwardedBatch.Aside] = []
    // The sink works.
    if results.contains(.sent) { pause = Backoff() }
    let retry =
      results.contains { if case .unavailable(_, nil) = $0 { true } else { false } } ? pause.next() : .zero
    for (item, result) in zip(items, results) {
      var item = item
      switch result {
      case .sent: done.append(item)
      case .rejected(let rejection):
        item.rejection = rejection
        done.append(item)
      case .unavailable(let detail, let after):
        item.due = .now + (after ?? retry)
        if let after, postponement != nil {
          let until = WallClock.milliseconds + Int64(after.milliseconds)
          aside.append(ForwardedBatch.Aside(item: item, until: until, detail: detail))
        } else {
          log.trouble(.sending, QueueError.unavailable(detail), id: item.delivery.message.id)
          waiting.append(item)
        }
      }
    }
    waiting += await postpone(aside, inFlight)
    return done
  }
  /// The answers of the sink. If it cannot be reached, nil after a pause.
  private func send(
    _ items: [ForwardedBatch.Item], _ inFlight: InFlightDeliveries, _ pause: inout Backoff
  ) async -> [SendResult]? {
    do throws(QueueError) {
      status.begin(.publishing)
      var results = try await target.send(items.map(\.delivery.message))
      // Otherwise a message without an answer would be settled and lost.
      while results.count < items.count { results.append(.unavailable("there is no answer", after: nil)) }
      note(results)
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

  /// Notes whether the sink works. It does if it has answered for any of the messages.
  private func note(_ results: [SendResult]) {
    guard results.contains(where: { if case .unavailable(_, nil) = $0 { false } else { true } }) else {
      status.fail(.publishing)
      return measurements.failToPublish("unavailable")
    }
    status.succeed(.publishing)
    if results.contains(.sent) { log.over(.sending) }
  }

  /// Whether to go on sending messages that are put off. After a stop, only if they cannot be put back.
  func goesOn(_ inFlight: InFlightDeliveries) -> Bool {
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
        // The message has been sent, so a stop is no reason to give up at once.
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

  /// Puts back unsent messages, because this process ends. Lines cannot be put back: they are lost, and the
  /// process ends with an error. The messages keep their places in the order, so that no later one is sent
  /// now, even if it was taken meanwhile.
  private func giveBack(_ items: [ForwardedBatch.Item], _ inFlight: InFlightDeliveries) async {
    guard !items.isEmpty else { return }
    let deliveries = items.map(\.delivery)
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
