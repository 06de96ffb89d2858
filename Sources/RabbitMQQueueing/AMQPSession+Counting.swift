internal import Queueing

extension AMQPSession {
  /// Who counts how often a message was handed out.
  enum Counting {
    case queue, nobody, unknown
  }

  /// Believes the counts of a queue that counts hand-outs, and of another none: there, whoever sent the message has written it, as a
  /// shovel does that takes from a quorum queue. The broker is asked once, when it matters first.
  mutating func correctingDeliveryCounts(
    _ deliveries: [AMQPDelivery], from queue: String
  ) throws(QueueError) -> [AMQPDelivery] {
    guard deliveries.contains(where: \.isRedelivered) else { return deliveries }
    if counting == nil { counting = try findCounting(of: queue) }
    return deliveries.map { delivery in
      var delivery = delivery
      switch counting {
      // Since RabbitMQ 4.3, what is given back counts for nothing, and a queue that has counted nothing says nothing.
      case .queue: delivery.deliveryCount = delivery.deliveryCount ?? 0
      case .nobody: delivery.deliveryCount = nil
      // A queue that does not count would never be found to have killed anybody.
      case .unknown, nil: if delivery.deliveryCount == 0 { delivery.deliveryCount = nil }
      }
      return delivery
    }
  }
}
