internal import Measuring
internal import Queueing
internal import Synchronization

/// Puts messages at the end of their queue, without counting this hand-out.
extension Worker {
  /// How long a delivery waits to write its dead letter. Longer than writing takes, and a pause
  /// before the message is handed out again.
  private static let deadLetterTimeout = Duration.milliseconds(300)

  /// Whether the queue takes messages back. Lines do not, because they have to keep their order.
  var mayReturn: Bool { drainable == nil && takesBack.load(ordering: .relaxed) }

  /// - Returns: why the queue did not take the message, or nil if it did.
  private func returnToQueue(_ delivery: Delivery) async -> QueueError? {
    do throws(QueueError) {
      try await source.requeue(delivery)
      return nil
    } catch {
      let id = delivery.message.id
      switch error {
      case .leaseLost: log.trouble("a message is another worker's by now", error, id: id)
      case .unavailable: log.trouble(.publishing, error, id: id)
      case .refused, .urlInvalid:
        guard takesBack.exchange(false, ordering: .relaxed) else { break }
        log.trouble("the queue takes no messages back: what cannot start waits from now on", error, id: id)
      }
      return error
    }
  }

  /// Puts back a message that could not be worked on, because its hosts have no downloads left, or
  /// the store fails. Waits for a queue that is unavailable. If the worker stops, it waits until `end`, and then
  /// releases the message instead.
  /// - Returns: false if the queue takes nothing back. The result then has to be published.
  func returnToQueue(
    _ delivery: Delivery, until end: ContinuousClock.Instant, among inFlight: InFlightDeliveries
  ) async -> Bool {
    guard mayReturn else { return false }
    var pause = Backoff()
    while true {
      switch await returnToQueue(delivery) {
      case nil:
        measurements.returnMessage()
        return true
      case .leaseLost: return true
      case .unavailable where !isOver(end, inFlight): await inFlight.pause(&pause)
      case .unavailable, .refused, .urlInvalid:
        await source.release([delivery], among: inFlight) { isOver(end, inFlight) }
        return true
      }
    }
  }

  /// Waits for permission to write the dead letter of `delivery`. If dead letters cannot be
  /// written, only their deliveries wait. If that takes too long, puts the message at the end of
  /// its queue, so that others are received.
  /// - Parameter end: after it, a stopping worker makes its last attempt without permission.
  /// - Returns: false if the message is at the end of its queue, or another worker has it.
  func awaitTurn(
    of delivery: Delivery, until end: ContinuousClock.Instant, among inFlight: InFlightDeliveries
  ) async -> Bool {
    // Lines are settled in order, so returning one would not make room for others.
    guard drainable == nil else { return true }
    let patience = ContinuousClock.now + Self.deadLetterTimeout
    var pause = Backoff()
    while !inFlight.admitDeadLetter(of: delivery) {
      if isOver(end, inFlight) { return true }
      guard mayReturn, .now >= patience else {
        await inFlight.pause(&pause)
        continue
      }
      switch await returnToQueue(delivery) {
      case nil:
        log.trouble(.standingBack, id: delivery.message.id)
        return false
      case .leaseLost: return false
      case .unavailable: await inFlight.pause(&pause)
      case .refused, .urlInvalid: break
      }
    }
    return true
  }
}

extension Source {
  /// Releases messages. Tries again while the queue is unavailable: a message that is not released stays on lease
  /// for as long as this process lives.
  func release(
    _ deliveries: [Delivery], among inFlight: InFlightDeliveries, unless isOver: () -> Bool
  ) async {
    var pause = Backoff()
    while true {
      do throws(QueueError) { return try await release(deliveries) } catch {
        guard case .unavailable = error, !isOver() else { return }
      }
      await inFlight.pause(&pause)
    }
  }
}
