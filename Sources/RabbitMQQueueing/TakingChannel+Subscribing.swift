internal import CRabbitMQ
internal import Queueing

extension TakingChannel {
  /// For each message. If another node leads the queue, messages come a moment after the reply.
  private static let grantTimeout = Duration.seconds(1)

  /// Takes `count` messages through a subscription that ends after them. To begin and to end it
  /// costs a quorum queue one disk write each, as much as two gets. No more than `count` messages
  /// arrive (AMQP 0-9-1 reference, `basic.qos`).
  /// - Parameters:
  ///   - count: few enough to leave some. If others take those, this takes a second, and late
  ///     messages may count as handed out.
  ///   - waits: true to wait a second for each message, false to wait a second after the first one.
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
    // Others take the last messages, too. Do not wait for them with a subscription again.
    hasTakenOneByOne = false
    replies.inbox.expectReplies(1)
    // No message arrives after this reply.
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
    // By the time of this reply, the queue has granted the messages.
    try replies.wait(for: AMQP_BASIC_CONSUME_OK_METHOD)
  }

  private var subscription: String { "push-enricher-\(subscriptionCount)" }
}
