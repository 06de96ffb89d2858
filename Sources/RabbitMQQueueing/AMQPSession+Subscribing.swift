internal import CRabbitMQ
internal import Queueing

extension AMQPSession {
  /// How long to wait for each further message that a subscription was granted: where another node leads the
  /// queue, or keeps it, they arrive a moment after the broker's reply.
  private static var grantTimeout: Duration { .seconds(1) }

  /// Whether `queue` may be subscribed to for a moment. Not if messages cannot be taken from it one by one: a
  /// stream would skip what it holds. Not if it is deleted with its last consumer, and all messages with it.
  mutating func maySubscribe(to queue: String) throws(QueueError) -> Bool {
    guard intake.hasTakenOneByOne else { return false }
    if let known = intake.outlivesConsumers { return known }
    let answer = try outlivesConsumers(queue)
    intake.outlivesConsumers = answer
    return answer
  }

  /// Takes `count` messages by a subscription that ends with them. To a quorum queue, its beginning and its
  /// end cost a write to the disk each, as much as two gets. No more than `count` arrive, as each is out
  /// until it is settled (AMQP 0-9-1 reference, `basic.qos`).
  /// - Parameters:
  ///   - count: so few of the messages in `queue` that others leave enough. If they do not, this takes a
  ///     second, and what arrives as it ends may be returned and count as handed out.
  ///   - waits: whether to wait a second for each further message; otherwise a second for all of them.
  mutating func subscribe(for count: Int, of queue: String, waits: Bool) throws(QueueError) {
    try beginSubscription(for: count, of: queue)
    while intake.arrived.count < count {
      let last = waits ? intake.arrived.last : intake.arrived.first
      guard try keepNext(until: (last?.arrival ?? .now) + Self.grantTimeout) else { break }
    }
    let isShort = intake.arrived.count < count
    try endSubscription(nowait: !isShort)
    guard isShort else { return }
    // Too few: others take the last messages too. Do not wait for them by a subscription again.
    intake.hasTakenOneByOne = false
    intake.outstandingReplies += 1
    intake.lastReply = .now
    // Nothing arrives behind the reply, which may be left to the next call.
    try hearAll(waits: waits)
  }

  mutating func beginSubscription(for count: Int, of queue: String) throws(QueueError) {
    let pool = AMQPPool()
    intake.subscriptionCount += 1
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: UInt16(clamping: count), global: 0)
    try connection.send(AMQP_BASIC_QOS_METHOD, qos, on: Self.takingChannel)
    let consume = unsafe amqp_basic_consume_t(
      ticket: 0, queue: pool.text(queue), consumer_tag: pool.text(subscription), no_local: 0, no_ack: 0,
      exclusive: 0, nowait: 0, arguments: amqp_empty_table)
    unsafe try connection.send(AMQP_BASIC_CONSUME_METHOD, consume, on: Self.takingChannel)
    try wait(for: AMQP_BASIC_QOS_OK_METHOD)
    // After this reply, the queue has granted them.
    try wait(for: AMQP_BASIC_CONSUME_OK_METHOD)
  }

  private mutating func endSubscription(nowait: Bool) throws(QueueError) {
    let pool = AMQPPool()
    let cancel = unsafe amqp_basic_cancel_t(consumer_tag: pool.text(subscription), nowait: nowait ? 1 : 0)
    unsafe try connection.send(AMQP_BASIC_CANCEL_METHOD, cancel, on: Self.takingChannel)
  }

  /// The name of the last subscription.
  private var subscription: String { "push-enricher-\(intake.subscriptionCount)" }
}
