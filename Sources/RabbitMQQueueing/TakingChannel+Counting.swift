internal import Queueing

/// What has to be known of a queue that is there already. The broker tells only by refusing a declaration that differs
/// from the queue: it names one argument, and those that begin with `x-` last (rabbit_amqqueue.erl,
/// `assert_equivalence`). Asked once, when it first matters.
struct QueueDifference {
  /// Empty if a new queue would be the same.
  let text: String

  /// Whether the queue stays when its last consumer goes (not `auto-delete`). No without the right to declare it.
  var outlivesConsumers: Bool { text.isEmpty || text.contains("inequivalent arg 'x-") }

  /// Whether the queue counts hand-outs, as a quorum queue does, which is always durable and shared. Nil if another
  /// argument than `type` differs.
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

  /// Uses the delivery counts of a queue that counts hand-outs, and drops those of others: there the sender has
  /// written them, as a shovel does that takes from a quorum queue.
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
