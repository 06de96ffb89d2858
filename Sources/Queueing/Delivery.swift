/// A message that a queue has handed out: on lease until it is settled or released, or its holder is gone.
package struct Delivery: Sendable, Equatable {
  /// The highest `attempt`. A higher number in a queue is of somebody else.
  package static let maximumAttempt = 1_000_000

  package let message: Message
  /// How often the message has been handed out, this time included: 1 to `maximumAttempt`. A crash counts. A
  /// release does not, unless the broker cannot tell the two apart (RabbitMQ).
  package let attempt: Int
  /// Identifies this hand-out to the queue. Another hand-out of the same message has another receipt.
  package let receipt: String
  /// When this process received it. The deadline counts from here.
  package let arrival: ContinuousClock.Instant

  /// - Parameter attempt: the queue's own count. Hand-outs that the message itself tells of are added.
  package init(message: Message, attempt: Int, receipt: String, arrival: ContinuousClock.Instant = .now) {
    var message = message
    let earlier = message.takeCrashes()
    self.attempt = min(min(max(1, attempt), Self.maximumAttempt) + earlier, Self.maximumAttempt)
    self.message = message
    self.receipt = receipt
    self.arrival = arrival
  }

  /// The message for the end of its queue. Tells of the hand-outs before this one.
  package var requeuedMessage: Message {
    var message = message
    if attempt > 1 { message.headers.append(Header(Message.crashHeader, "\(attempt - 1)")) }
    return message
  }

  /// Whether both are the same hand-out of the same message. `arrival` is not compared.
  package static func == (one: Delivery, other: Delivery) -> Bool {
    one.message == other.message && one.attempt == other.attempt && one.receipt == other.receipt
  }
}
