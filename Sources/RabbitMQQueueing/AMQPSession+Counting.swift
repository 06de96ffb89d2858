internal import Queueing

extension AMQPSession {
  /// Believes the counts of a queue that counts hand-outs, and of another none: there, whoever sent the message has written it, as a
  /// shovel does that takes from a quorum queue. The broker is asked once, when it matters first.
  mutating func checked(
    _ deliveries: [AMQPDelivery], from queue: String
  ) throws(QueueError) -> [AMQPDelivery] {
    guard deliveries.contains(where: \.isCounted) else { return deliveries }
    if countsDeliveries == nil { countsDeliveries = try countsDeliveries(queue) }
    guard countsDeliveries == false else { return deliveries }
    return deliveries.map { delivery in
      var delivery = delivery
      delivery.deliveryCount = nil
      return delivery
    }
  }
}
