internal import Queueing

extension AMQPSession {
  /// Who counts how often a message was handed out.
  enum Counting {
    case queue, nobody, unknown
  }

  /// Uses the delivery counts of a queue that counts hand-outs, and drops those of others: there the sender
  /// has written them, as a shovel does that takes from a quorum queue. The broker is asked once, when it
  /// first matters.
  mutating func correctingDeliveryCounts(
    _ deliveries: [AMQPDelivery], from queue: String
  ) throws(QueueError) -> [AMQPDelivery] {
    guard deliveries.contains(where: \.isRedelivered) else { return deliveries }
    if counting == nil { counting = try findCounting(of: queue) }
    return deliveries.map { delivery in
      var delivery = delivery
      switch counting {
      // Since RabbitMQ 4.3 a returned message is not counted, and the header is missing while the count is 0.
      case .queue: delivery.deliveryCount = delivery.deliveryCount ?? 0
      case .nobody: delivery.deliveryCount = nil
      // If the queue does not count, a message with this header would never be seen to kill workers.
      case .unknown, nil: if delivery.deliveryCount == 0 { delivery.deliveryCount = nil }
      }
      return delivery
    }
  }
}
