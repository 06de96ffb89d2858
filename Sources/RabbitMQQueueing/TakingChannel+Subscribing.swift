internal import CRabbitMQ
internal import Queueing

/// Subscriptions for a certain number of messages. A short one ends after them. A lasting one goes
/// on: for each message that is settled, the broker sends the next one.
extension TakingChannel {
  /// How long to wait for each granted message. If another node leads the queue, messages come a moment after
  /// the reply.
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
    while replies.inbox.untakenCount < count {
      let last = waits ? replies.inbox.arrived.last : replies.inbox.arrived.first
      guard try replies.keepNext(until: (last?.arrival ?? .now) + Self.grantTimeout) else { break }
    }
    let isShort = replies.inbox.untakenCount < count
    try cancel(subscriptionCount, waits: isShort)
    guard isShort else { return }
    // Others take the last messages, too. Do not wait for them with a subscription again.
    hasTakenOneByOne = false
    // No message arrives after this reply.
    try hearAll(waits: waits)
  }

  mutating func beginSubscription(for count: Int) throws(QueueError) {
    let pool = AMQPPool()
    subscriptionCount += 1
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: UInt16(clamping: count), global: 0)
    try send(AMQP_BASIC_QOS_METHOD, qos)
    let consume = unsafe amqp_basic_consume_t(
      ticket: 0, queue: pool.text(queue), consumer_tag: pool.text(tag(of: subscriptionCount)), no_local: 0,
      no_ack: 0, exclusive: 0, nowait: 0, arguments: amqp_empty_table)
    unsafe try send(AMQP_BASIC_CONSUME_METHOD, consume)
    try replies.wait(for: AMQP_BASIC_QOS_OK_METHOD)
    // By the time of this reply, the queue has granted the messages.
    try replies.wait(for: AMQP_BASIC_CONSUME_OK_METHOD)
  }

  /// - Parameter waits: whether to expect a reply. No message arrives after it.
  private func cancel(_ subscription: Int, waits: Bool) throws(QueueError) {
    let pool = AMQPPool()
    let cancel = unsafe amqp_basic_cancel_t(
      consumer_tag: pool.text(tag(of: subscription)), nowait: waits ? 0 : 1)
    unsafe try send(AMQP_BASIC_CANCEL_METHOD, cancel)
    if waits { replies.inbox.expectReplies(1) }
  }

  private func tag(of subscription: Int) -> String { "push-enricher-\(subscription)" }

  // MARK: - Lasting subscriptions

  /// Begins a lasting subscription, if enough messages may be on lease that no other one covers.
  /// RabbitMQ does not change the prefetch of a subscription. So the first one covers what is free
  /// when it begins. Others cover what was on lease then, once it is settled, and what more may be on lease while
  /// results are being published. Each covers an eighth or more, so there are only a few.
  /// - Parameter most: how many messages may be on lease.
  /// - Returns: whether it has begun.
  mutating func extendSubscriptions(to most: Int) throws(QueueError) -> Bool {
    if lasting.count == 0 { replies.inbox.subscribed = [] }
    let others = replies.inbox.unsettled.count - replies.inbox.subscribed.count
    let free = most - lasting.covered - others
    let count = min(free, affordable(in: MessageLimits.maximumBatchSize) - lasting.covered)
    guard count >= max(1, most / 8) else { return false }
    try beginSubscription(for: count)
    lasting.count += 1
    lasting.covered += count
    emptySince = nil
    return true
  }

  /// Returns what the lasting subscriptions have brought. Ends them if they bring nothing for a while.
  mutating func takeSubscribed(_ limit: Int, upTo most: Int) throws(QueueError) -> [AMQPDelivery] {
    while try replies.keepNext(until: .now) {}
    _ = try extendSubscriptions(to: most)
    if !replies.inbox.arrived.isEmpty {
      emptySince = nil
    } else if isOverdue(after: Self.moment) {
      // The queue is empty, or the messages on lease are slow and none has been settled.
      try endSubscriptions()
    }
    return replies.inbox.takeArrived(limit)
  }

  /// Whether a worker has asked for messages and got none for `duration`.
  mutating func isOverdue(after duration: Duration) -> Bool {
    let now = ContinuousClock.now
    let start = emptySince ?? now
    emptySince = start
    return now - start > duration
  }

  /// Ends the lasting subscriptions. Messages that are settled from now on bring no others.
  mutating func endSubscriptions() throws(QueueError) {
    guard lasting.count > 0 else { return }
    try awaitGranted()
    for index in 0..<lasting.count { try cancel(subscriptionCount - index, waits: true) }
    lasting = Lasting()
    replies.inbox.subscribed = []
  }

  /// Waits for messages that are granted to lasting subscriptions. If one of them ended meanwhile,
  /// RabbitMQ would return them, which counts (rabbit_fifo_client.erl, `handle_delivery`).
  private func awaitGranted() throws(QueueError) {
    let end = ContinuousClock.now + Self.grantTimeout
    while replies.inbox.subscribed.count < lasting.covered, .now < end {
      let count = replies.inbox.subscribed.count
      // In an empty queue, all granted messages arrive ahead of the second reply.
      if try self.count() == 0, try self.count() == 0, replies.inbox.subscribed.count == count { return }
      _ = try replies.keepNext(until: min(end, .now + .milliseconds(10)))
    }
  }

  /// Ends the lasting subscriptions if the worker does not take what they bring. Call this before
  /// messages are settled, which would bring more.
  mutating func endUnusedSubscriptions() throws(QueueError) {
    guard lasting.count > 0, let oldest = replies.inbox.arrived.first else { return }
    if ContinuousClock.now - oldest.arrival > Self.moment { try endSubscriptions() }
  }

  /// Whether the messages that may arrive together are too long for the memory.
  var isCoveringTooMuch: Bool { lasting.covered > 2 * affordable(in: MessageLimits.maximumBatchSize) }
}
