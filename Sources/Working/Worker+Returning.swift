internal import Measuring
internal import Queueing
internal import Synchronization

/// How messages go to the end of their queue, with this hand-out not counted.
extension Worker {
  /// How long a delivery waits for permission to write its dead letter: long beside what writing takes, and a
  /// pause before the message comes round again.
  private static let deadLetterTimeout = Duration.milliseconds(300)

  /// What became of an attempt.
  private enum Return {
    case done
    /// Another worker has the message by now.
    case lost
    /// The queue takes nothing at the moment.
    case unavailable
    /// This user may not publish into it, for example.
    case refused
  }

  /// Whether the queue takes messages back. Lines have their order.
  var mayReturn: Bool { drainable == nil && takesBack.load(ordering: .relaxed) }

  private func returnToQueue(_ delivery: Delivery) async -> Return {
    do throws(QueueError) {
      try await source.requeue(delivery)
      return .done
    } catch {
      switch error {
      case .leaseLost:
        log.trouble("a message is another worker's by now", error, id: delivery.message.id)
        return .lost
      case .unavailable:
        log.trouble(.publishing, error, id: delivery.message.id)
        return .unavailable
      case .refused, .urlInvalid:
        if takesBack.exchange(false, ordering: .relaxed) {
          log.trouble(
            "the queue takes no messages back: what cannot start waits from now on", error,
            id: delivery.message.id)
        }
        return .refused
      }
    }
  }

  /// Puts a message back that could not be worked on: its hosts have all the downloads that they may have, or the
  /// store fails. If the queue takes nothing until `end`, the message is released instead.
  /// - Parameter end: the deadline of the payload.
  /// - Returns: whether nothing is left to do. Otherwise the queue takes nothing back, and the result has to be
  ///   published.
  func returnToQueue(
    _ delivery: Delivery, until end: ContinuousClock.Instant, among inFlight: InFlightDeliveries
  ) async -> Bool {
    guard mayReturn else { return false }
    var pause = Backoff()
    while true {
      switch await returnToQueue(delivery) {
      case .done:
        measurements.returnMessage()
        return true
      case .lost: return true
      case .unavailable where .now < end && !isOver(end, inFlight): await inFlight.pause(&pause)
      case .unavailable, .refused:
        try? await source.release([delivery])
        return true
      }
    }
  }

  /// Waits for permission to write the dead letter of `delivery`: while dead letters cannot be written, they
  /// wait, and nothing else does. If others hold the permission for too long, the message goes to the end of its
  /// own queue, so that those behind it are received.
  /// - Parameter end: from then on a worker that was told to stop writes without permission: it is the last
  ///   attempt.
  /// - Returns: false if nothing is left to do: the message went to the end of its queue, or another worker has
  ///   it.
  func awaitTurn(
    of delivery: Delivery, until end: ContinuousClock.Instant, among inFlight: InFlightDeliveries
  ) async -> Bool {
    // Lines are settled in order: to return one would make room for none.
    guard drainable == nil else { return true }
    let patience = ContinuousClock.now + Self.deadLetterTimeout
    var pause = Backoff()
    while !inFlight.admitDeadLetter(of: delivery) {
      guard !isOver(end, inFlight) else { return true }
      guard mayReturn, .now >= patience else {
        await inFlight.pause(&pause)
        continue
      }
      switch await returnToQueue(delivery) {
      case .done:
        log.trouble(.standingBack, id: delivery.message.id)
        return false
      case .lost: return false
      case .unavailable: await inFlight.pause(&pause)
      case .refused: break
      }
    }
    return true
  }
}
