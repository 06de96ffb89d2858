internal import Queueing

/// What becomes of deliveries while their dead letters cannot be written: they wait, and nothing else does.
extension Worker {
  /// How long a delivery waits for permission to write its dead letter: long beside what writing takes, and a
  /// pause before the message comes round again.
  private static let deadLetterTimeout = Duration.milliseconds(300)

  /// What is to be done about a delivery with a dead letter.
  enum DeadLetterTurn {
    /// The letter is to be written now.
    case write
    /// Nothing more: the message went to the end of its queue, or another worker has it.
    case handedOn
  }

  /// Waits for permission to write the dead letter of `delivery`. If others hold it for too long, the message
  /// goes to the end of its own queue, so that those behind it are received.
  /// - Parameter end: from then on a worker that was told to stop writes without permission: it is the last
  ///   attempt.
  func awaitTurn(
    of delivery: Delivery, until end: ContinuousClock.Instant, among inFlight: InFlightDeliveries
  ) async -> DeadLetterTurn {
    // Lines are settled in order: to return one would make room for none.
    guard drainable == nil else { return .write }
    let patience = ContinuousClock.now + Self.deadLetterTimeout
    var pause = Backoff()
    while !inFlight.admitDeadLetter(of: delivery) {
      guard !isOver(end, inFlight) else { return .write }
      guard mayReturn, .now >= patience else {
        await inFlight.pause(&pause)
        continue
      }
      switch await returnToQueue(delivery) {
      case .done:
        log.trouble(.standingBack, id: delivery.message.id)
        return .handedOn
      case .lost: return .handedOn
      case .unavailable: await inFlight.pause(&pause)
      case .refused: break
      }
    }
    return .write
  }
}
