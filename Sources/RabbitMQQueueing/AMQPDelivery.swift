internal import Queueing

/// A message as a broker hands it out, on one channel.
struct AMQPDelivery {
  /// As `Delivery.arrival`.
  let arrival = ContinuousClock.now
  /// Whether it was got, and did not come by a subscription.
  var isFromGet = true
  /// What the channel knows it by.
  let tag: UInt64
  let message: Message
  /// Whether it was handed out before.
  let isRedelivered: Bool
  /// How often that was, where the queue counts it: a quorum queue does. Its sender may have written it elsewhere. Up to
  /// `Delivery.maximumAttempt`, as is `crashes`.
  var deliveryCount: Int?
  /// How often that was before it was put into the queue anew: `AMQPSession.republishUncounted`.
  let crashes: Int

  /// As `Delivery.attempt`.
  var attempt: Int { crashes + (isRedelivered ? deliveryCount ?? 1 : 0) + 1 }

  /// Whether nobody knows how often it was handed out, but that it was.
  var isUncounted: Bool { isRedelivered && deliveryCount == nil }
}
