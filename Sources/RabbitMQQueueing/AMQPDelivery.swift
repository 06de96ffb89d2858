internal import Queueing

/// A message as a broker hands it out, on one channel.
struct AMQPDelivery {
  /// As `Delivery.arrival`.
  let arrival = ContinuousClock.now
  /// Whether it is the reply to a get, and not from a subscription.
  var isFromGet = true
  /// Identifies it on its channel.
  let tag: UInt64
  let message: Message
  /// Whether it was handed out before.
  let isRedelivered: Bool
  /// Earlier hand-outs, where the queue counts them, as quorum queues do; in other queues the sender may have
  /// written a number. At most `Delivery.maximumAttempt`, like `crashes`.
  var deliveryCount: Int?
  /// Earlier hand-outs before it was published again: `AMQPSession.republishUncounted`.
  let crashes: Int

  /// As `Delivery.attempt`.
  var attempt: Int { crashes + (isRedelivered ? deliveryCount ?? 1 : 0) + 1 }

  /// Whether it was handed out before, and nobody counted how often.
  var isUncounted: Bool { isRedelivered && deliveryCount == nil }
}
