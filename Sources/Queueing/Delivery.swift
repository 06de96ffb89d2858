/// A message that a queue has put on lease, until it is settled or released, or its holder ends.
package struct Delivery: Sendable, Equatable {
  /// The highest `attempt`. If a queue has a higher number, another program wrote it.
  package static let maximumAttempt = 1_000_000

  package let message: Message
  /// How often the message has been handed out, including this time: 1 to `maximumAttempt`. A crash
  /// counts. A release does not, unless the broker cannot tell the two apart (RabbitMQ).
  package let attempt: Int
  /// Identifies this hand-out to the queue. The next hand-out of the message has a new receipt.
  package let receipt: String
  /// When this process received it. The deadline counts from here.
  package let arrival: ContinuousClock.Instant
  /// Tells when nobody waits for the result any more. Nil for a queue, because it always waits.
  package let withdrawal: Withdrawal?

  /// - Parameter attempt: the queue's own count. Earlier hand-outs noted in the message are added.
  package init(
    message: Message, attempt: Int, receipt: String, arrival: ContinuousClock.Instant = .now,
    withdrawal: Withdrawal? = nil
  ) {
    var message = message
    let earlier = message.takeCrashes()
    self.attempt = min(min(max(1, attempt), Self.maximumAttempt) + earlier, Self.maximumAttempt)
    self.message = message
    self.receipt = receipt
    self.arrival = arrival
    self.withdrawal = withdrawal
  }

  /// The message to put at the end of its queue. It notes the hand-outs before this one.
  package var requeuedMessage: Message {
    var message = message
    if attempt > 1 { message.headers.append(Header(Message.crashHeader, "\(attempt - 1)")) }
    return message
  }

  /// Whether both are the same hand-out of the same message. Ignores `arrival`.
  package static func == (one: Delivery, other: Delivery) -> Bool {
    one.message == other.message && one.attempt == other.attempt && one.receipt == other.receipt
  }
}
