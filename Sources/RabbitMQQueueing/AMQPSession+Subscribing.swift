internal import CRabbitMQ
internal import Queueing

extension AMQPSession {
  /// For what is granted to come: where another node leads the queue, it is handed out a moment after the broker's answer.
  private static var grantPatience: Duration { .seconds(1) }

  /// Takes `count` messages by a subscription that ends with them. They cost a quorum queue what one get costs, each of which it writes
  /// to the disk by itself. No more come than that, as each is out until it is settled (AMQP 0-9-1 reference, `basic.qos`).
  /// - Parameter count: of what lies in `queue`, so few that others leave enough. Where they do not, this takes a second, and what
  ///   comes as it ends may go back and count as handed out.
  mutating func subscribe(for count: Int, of queue: String) throws(QueueError) -> [AMQPDelivery] {
    try beginSubscription(for: count, of: queue)
    var taken: [AMQPDelivery] = []
    let end = ContinuousClock.now + Self.grantPatience
    while taken.count < count, let event = try next(until: end) { taken.append(try take(event)) }
    try endSubscription()
    if taken.count < count { taken += try takeLate() }
    return taken
  }

  mutating func beginSubscription(for count: Int, of queue: String) throws(QueueError) {
    let pool = AMQPPool()
    subscriptionCount += 1
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: UInt16(clamping: count), global: 0)
    try connection.send(AMQP_BASIC_QOS_METHOD, qos, on: Self.takingChannel)
    let consume = unsafe amqp_basic_consume_t(
      ticket: 0, queue: pool.text(queue), consumer_tag: pool.text(subscription), no_local: 0, no_ack: 0,
      exclusive: 0, nowait: 1, arguments: amqp_empty_table)
    unsafe try connection.send(AMQP_BASIC_CONSUME_METHOD, consume, on: Self.takingChannel)
    try wait(for: AMQP_BASIC_QOS_OK_METHOD)
  }

  private func endSubscription() throws(QueueError) {
    let pool = AMQPPool()
    let cancel = unsafe amqp_basic_cancel_t(consumer_tag: pool.text(subscription), nowait: 1)
    unsafe try connection.send(AMQP_BASIC_CANCEL_METHOD, cancel, on: Self.takingChannel)
  }

  /// The name of the last one.
  private var subscription: String { "push-enricher-\(subscriptionCount)" }

  /// What has come since the last look, up to the end of the subscription.
  private mutating func takeLate() throws(QueueError) -> [AMQPDelivery] {
    try askWhetherDone()
    var taken: [AMQPDelivery] = []
    while true {
      let event = try answer()
      if case .done(AMQP_BASIC_QOS_OK_METHOD) = event { return taken }
      taken.append(try take(event))
    }
  }

  private mutating func take(_ event: AMQPEvent) throws(QueueError) -> AMQPDelivery {
    guard case .delivered(let delivery) = event else { throw unexpected(event) }
    unsettled.insert(delivery.tag)
    return delivery
  }
}
