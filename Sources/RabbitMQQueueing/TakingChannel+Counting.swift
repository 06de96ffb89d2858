internal import Queueing

/// How an existing queue differs from the one that would be created. The broker's refusal names one
/// argument that differs: one with `x-` last (rabbit_amqqueue.erl, `assert_equivalence`).
struct QueueDifference {
  /// Empty if a new queue would be the same.
  let text: String

  /// Whether the queue is known not to be `auto-delete`. False if declaring it is not allowed.
  var outlivesConsumers: Bool { text.isEmpty || text.contains("inequivalent arg 'x-") }

  /// Whether the queue counts hand-outs, as quorum queues do. They are always durable and shared.
  /// Nil if the text names an argument that does not show it.
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

  /// Drops counts that the queue has not written, such as a shovel's copies from a quorum queue.
  mutating func counted(_ deliveries: [AMQPDelivery]) throws(QueueError) -> [AMQPDelivery] {
    guard deliveries.contains(where: \.isRedelivered) else { return deliveries }
    let counts = try findDifference().countsHandOuts(as: queueType)
    return deliveries.map { delivery in
      var delivery = delivery
      switch counts {
      // Since RabbitMQ 4.3, a returned message is not counted, and a count of 0 has no header.
      case true?: delivery.deliveryCount = delivery.deliveryCount ?? 0
      case false?: delivery.deliveryCount = nil
      // If the queue does not count, this 0 would hide that the message kills workers.
      case nil: if delivery.deliveryCount == 0 { delivery.deliveryCount = nil }
      }
      return delivery
    }
  }
}
