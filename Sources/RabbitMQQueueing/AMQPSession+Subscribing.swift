internal import CRabbitMQ
internal import Queueing

extension AMQPSession {
  /// From one message to the next, of those that a subscription was granted: where another node leads the queue, or keeps it, they
  /// come a moment after the broker's answer.
  private static var grantTimeout: Duration { .seconds(1) }

  /// Whether `queue` may be subscribed to for a moment. One that cannot be taken from one by one cannot: a stream would pass over what
  /// it holds. Nor can one that goes with its last consumer, and all that lies in it.
  mutating func maySubscribe(to queue: String) throws(QueueError) -> Bool {
    guard hasTakenOneByOne else { return false }
    if let outlivesConsumers { return outlivesConsumers }
    let answer = try outlivesConsumers(queue)
    outlivesConsumers = answer
    return answer
  }

  /// Takes `count` messages by a subscription that ends with them. Of a quorum queue, its beginning and its end are a write to the disk
  /// each, and so is each get. No more come than that, as each is out until it is settled (AMQP 0-9-1 reference, `basic.qos`).
  /// - Parameters:
  ///   - count: of what lies in `queue`, so few that others leave enough. Where they do not, this takes a second, and what comes as it
  ///     ends may go back and count as handed out.
  ///   - waits: whether the first of them waits for the others, each for a second; otherwise for one in all.
  mutating func subscribe(for count: Int, of queue: String, waits: Bool) throws(QueueError) {
    try beginSubscription(for: count, of: queue)
    while arrived.count < count {
      let last = waits ? arrived.last : arrived.first
      guard try keepNext(until: (last?.arrival ?? .now) + Self.grantTimeout) else { break }
    }
    let isShort = arrived.count < count
    try endSubscription(nowait: !isShort)
    guard isShort else { return }
    // Whoever is short of messages shares the last of them with others, and does not wait for them again.
    hasTakenOneByOne = false
    outstandingReplies += 1
    lastReply = .now
    // Nothing comes behind the answer, which may be left to the next call.
    try hearAll(waits: waits)
  }

  mutating func beginSubscription(for count: Int, of queue: String) throws(QueueError) {
    let pool = AMQPPool()
    subscriptionCount += 1
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: UInt16(clamping: count), global: 0)
    try connection.send(AMQP_BASIC_QOS_METHOD, qos, on: Self.takingChannel)
    let consume = unsafe amqp_basic_consume_t(
      ticket: 0, queue: pool.text(queue), consumer_tag: pool.text(subscription), no_local: 0, no_ack: 0,
      exclusive: 0, nowait: 0, arguments: amqp_empty_table)
    unsafe try connection.send(AMQP_BASIC_CONSUME_METHOD, consume, on: Self.takingChannel)
    try wait(for: AMQP_BASIC_QOS_OK_METHOD)
    // The queue has granted them then.
    try wait(for: AMQP_BASIC_CONSUME_OK_METHOD)
  }

  private mutating func endSubscription(nowait: Bool) throws(QueueError) {
    let pool = AMQPPool()
    let cancel = unsafe amqp_basic_cancel_t(consumer_tag: pool.text(subscription), nowait: nowait ? 1 : 0)
    unsafe try connection.send(AMQP_BASIC_CANCEL_METHOD, cancel, on: Self.takingChannel)
  }

  /// The name of the last one.
  private var subscription: String { "push-enricher-\(subscriptionCount)" }
}
