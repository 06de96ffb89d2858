internal import CRabbitMQ
internal import Queueing

/// What has to be known of a queue that is there already. The broker tells only by refusing a declaration that
/// differs: it names one argument that does, and those that begin with `x-` last (rabbit_amqqueue.erl,
/// `assert_equivalence`).
extension TakingChannel {
  /// Whether the queue stays when its last consumer goes, unlike one that was declared with `auto-delete`. No for a
  /// user without the right to declare it.
  var outlivesConsumers: Bool {
    mutating get throws(QueueError) {
      let difference = try difference
      return difference.isEmpty || difference.contains("inequivalent arg 'x-")
    }
  }

  /// Uses the delivery counts of a queue that counts hand-outs, and drops those of others: there the sender has
  /// written them, as a shovel does that takes from a quorum queue.
  mutating func counted(_ deliveries: [AMQPDelivery]) throws(QueueError) -> [AMQPDelivery] {
    guard deliveries.contains(where: \.isRedelivered) else { return deliveries }
    let counts = try countsHandOuts
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

  /// Whether the queue counts hand-outs, as a quorum queue does, which is always durable and shared; nil if another
  /// argument than the type differs.
  private var countsHandOuts: Bool? {
    mutating get throws(QueueError) {
      let difference = try difference
      func differs(in name: String) -> Bool { difference.contains("inequivalent arg '\(name)'") }
      if ["durable", "auto_delete", "exclusive"].contains(where: differs) { return false }
      guard difference.isEmpty || differs(in: "x-queue-type") else { return nil }
      return (queueType == .quorum) == difference.isEmpty
    }
  }

  /// How the broker says that the queue differs from a new one; empty if it does not. Asked once, when it first
  /// matters.
  private var difference: String {
    mutating get throws(QueueError) {
      if let knownDifference { return knownDifference }
      let difference = try replies.refusal(of: queue, as: queueType)?.text ?? ""
      knownDifference = difference
      return difference
    }
  }
}
