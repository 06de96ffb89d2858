internal import Enriching
internal import Queueing

/// What becomes of deliveries while their dead letters cannot be written: they wait, and nothing else does.
extension Worker {
  /// How long a delivery waits for permission to write its dead letter: long beside what writing takes, and a
  /// pause before the message comes round again.
  private static let deadLetterTimeout = Duration.milliseconds(300)

  /// Waits for permission to write the dead letter of `delivery`. If others hold it for too long, the message
  /// goes to the end of its own queue, so that those behind it are received.
  /// - Returns: whether it went there, or is out of this worker's hands: nothing more is to be done about it.
  func standsBack(
    _ delivery: Delivery, until end: ContinuousClock.Instant, among inFlight: InFlightDeliveries
  ) async -> Bool {
    // Lines are settled in order: to requeue one would make room for none.
    guard drainable == nil else { return false }
    let patience = ContinuousClock.now + Self.deadLetterTimeout
    var pause = Backoff()
    var mayRequeue = true
    while !inFlight.admitDeadLetter(of: delivery) {
      guard !isOver(end, inFlight) else { return false }
      guard mayRequeue, .now >= patience else {
        await pause.wait()
        continue
      }
      do throws(QueueError) {
        try await source.requeue(delivery)
        log.trouble(.standingBack, id: delivery.message.id)
        return true
      } catch {
        switch error {
        case .leaseLost:
          log.trouble("a dead letter is another worker's to write", error, id: delivery.message.id)
          return true
        case .unavailable: await pause.wait()
        // As where this user may not publish into it.
        case .refused, .urlInvalid: mayRequeue = false
        }
      }
    }
    return false
  }
}
