internal import Queueing

/// How an existing queue differs from the one that would be created. The broker tells by refusing a declaration that
/// differs: it names one argument, and those with `x-` last (rabbit_amqqueue.erl, `assert_equivalence`).
struct QueueDifference {
  /// Empty if a new queue would be the same.
  let text: String

  /// Whether it is not `auto-delete`. False without the right to declare it.
  var outlivesConsumers: Bool { text.isEmpty || text.contains("inequivalent arg 'x-") }

  /// A quorum queue counts hand-outs, and is always durable and shared. Nil if another argument than `type` differs.
  func countsHandOuts(as type: RabbitMQURL.QueueType) -> Bool? {
    func differs(in name: String) -> Bool { text.contains("inequivalent arg '\(name)'") }
    if ["durable", "auto_delete", "exclusive"].contains(where: differs) { return false }
    return text.isEmpty || differs(in: "x-queue-type") ? (type == .quorum) == text.isEmpty : nil
  }
}

extension TakingChannel {
  mutating func findDifference() throws(QueueError) -> QueueDifference {
    if let difference { return difference }
    let found = QueueDifference(text: try replies.refusal(of: queue, as: queueType)?.text ?? "")
    difference = found
    return found
  }

  /// Drops delivery counts that not the queue but a sender has written, as a shovel does behind a quorum queue.
  mutating func counted(_ deliveries: [AMQPDelivery]) throws(QueueError) -> [AMQPDelivery] {
    guard deliveries.contains(where: \.isRedelivered) else { return deliveries }
    let counts = try findDifference().countsHandOuts(as: queueType)
    return deliveries.map { delivery in
      var delivery = delivery
      switch counts {
      // Since RabbitMQ 4.3 a returned message is not counted, and the header is missing while the count is 0.
      case true?: delivery.deliveryCount = delivery.deliveryCount ?? 0
      case false?: delivery.deliveryCount = nil
      // If the queue does not count, a message with this header would never be seen to kill workers.
      case nil: if delivery.deliveryCount == 0 { delivery.deliveryCount = nil }
      }
      return delivery
    }
  }
}
