internal import CRabbitMQ
internal import Queueing

extension TakingChannel {
  /// For each further message: if another node leads the queue, they arrive a moment after the broker's reply.
  private static let grantTimeout = Duration.seconds(1)

  /// Takes `count` messages by a subscription that ends with them. Its beginning and its end cost a quorum queue a write
  /// to the disk each, as much as two gets. No more than `count` arrive (AMQP 0-9-1 reference, `basic.qos`).
  /// - Parameters:
  ///   - count: so few that others leave enough. Otherwise this takes a second, and late messages may count as handed out.
  ///   - waits: whether a second for each further message; otherwise a second for all of them.
  mutating func subscribe(for count: Int, waits: Bool) throws(QueueError) {
    try beginSubscription(for: count)
    while replies.inbox.arrived.count < count {
      let last = waits ? replies.inbox.arrived.last : replies.inbox.arrived.first
      guard try replies.keepNext(until: (last?.arrival ?? .now) + Self.grantTimeout) else { break }
    }
    let isShort = replies.inbox.arrived.count < count
    let pool = AMQPPool()
    let cancel = unsafe amqp_basic_cancel_t(consumer_tag: pool.text(subscription), nowait: isShort ? 0 : 1)
    unsafe try send(AMQP_BASIC_CANCEL_METHOD, cancel)
    guard isShort else { return }
    // Others take the last messages too: do not wait for them by a subscription again.
    hasTakenOneByOne = false
    replies.inbox.expectReplies(1)
    // Nothing arrives behind the reply.
    try hearAll(waits: waits)
  }

  mutating func beginSubscription(for count: Int) throws(QueueError) {
    let pool = AMQPPool()
    subscriptionCount += 1
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: UInt16(clamping: count), global: 0)
    try send(AMQP_BASIC_QOS_METHOD, qos)
    let consume = unsafe amqp_basic_consume_t(
      ticket: 0, queue: pool.text(queue), consumer_tag: pool.text(subscription), no_local: 0, no_ack: 0,
      exclusive: 0, nowait: 0, arguments: amqp_empty_table)
    unsafe try send(AMQP_BASIC_CONSUME_METHOD, consume)
    try replies.wait(for: AMQP_BASIC_QOS_OK_METHOD)
    // After this reply, the queue has granted them.
    try replies.wait(for: AMQP_BASIC_CONSUME_OK_METHOD)
  }

  private var subscription: String { "push-enricher-\(subscriptionCount)" }
}
