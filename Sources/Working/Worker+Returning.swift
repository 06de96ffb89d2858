internal import Measuring
internal import Queueing
internal import Synchronization

/// How messages go to the end of their queue, with this hand-out not counted.
extension Worker {
  /// What became of an attempt.
  enum Return {
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

  func returnToQueue(_ delivery: Delivery) async -> Return {
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
        takesBack.store(false, ordering: .relaxed)
        return .refused
      }
    }
  }

  /// Puts a message back that could not be worked on: its hosts have all the downloads that they may have, or the
  /// store fails.
  /// - Parameter end: from then on a worker that was told to stop tries no more.
  /// - Returns: whether nothing is left to do. Otherwise its result has to be published.
  func returnToQueue(
    _ delivery: Delivery, until end: ContinuousClock.Instant, among inFlight: InFlightDeliveries
  ) async -> Bool {
    // Lines have their order.
    guard mayReturn else { return false }
    var pause = Backoff()
    while true {
      switch await returnToQueue(delivery) {
      case .done:
        measurements.returnMessage()
        return true
      case .lost: return true
      case .refused: return false
      case .unavailable:
        if isOver(end, inFlight) { return false }
        await pause.wait(among: inFlight)
      }
    }
  }
}
