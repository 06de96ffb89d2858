internal import CRabbitMQ
internal import Glibc
internal import Queueing

extension TakingChannel {
  /// The most acknowledgments that may be open when the connection ends. A quorum queue carries one out once
  /// it is on disk. If more than 32 are open, RabbitMQ loses some of them with the connection, and their
  /// messages come back (rabbit_fifo_client.erl, `unsent_commands`).
  private static let maximumOpen = 24

  /// Removes messages from their queue for good. One method acknowledges all that are older than
  /// any other delivery that is out. It cannot cover others, because the broker numbers deliveries
  /// in the order in which it sends them. If all came from one subscription, the method is one
  /// command to a quorum queue (rabbit_channel.erl, `foreach_per_queue`).
  /// - Parameter tags: the tags of deliveries that are out.
  mutating func acknowledge(_ tags: Set<UInt64>) throws(QueueError) {
    guard !tags.isEmpty else { return }
    try endUnusedSubscriptions()
    let oldestOther = replies.inbox.unsettled.subtracting(tags).min() ?? .max
    let together = tags.filter { $0 < oldestOther }
    replies.connection.setCorked(true)
    if let last = together.max() { try acknowledge(last, isMultiple: together.count > 1) }
    for tag in tags.subtracting(together).sorted() { try acknowledge(tag, isMultiple: false) }
    replies.connection.setCorked(false)
    replies.inbox.settle(tags)
    openAcknowledgments += tags.count
    // The get brings a message that the caller would take next.
    if takesAll, openAcknowledgments >= Self.maximumOpen { try get(1, waits: true) }
    try waitUntilDone()
  }

  /// Whether the queue is empty, and stays empty if the connection ends now.
  mutating func isEmptyForGood() throws(QueueError) -> Bool {
    guard try count() == 0 else { return false }
    let open = openAcknowledgments
    try get(1, waits: true)
    // RabbitMQ has sent to the queue what it kept back, but the queue may not have carried it out.
    if open > Self.maximumOpen { try get(1, waits: true) }
    return replies.inbox.arrived.isEmpty
  }

  /// - Parameter isMultiple: whether to include earlier ones (AMQP 0-9-1 reference, `basic.ack`).
  private func acknowledge(_ tag: UInt64, isMultiple: Bool) throws(QueueError) {
    try send(AMQP_BASIC_ACK_METHOD, amqp_basic_ack_t(delivery_tag: tag, multiple: isMultiple ? 1 : 0))
  }

  /// Returns messages to their places at the front of the queue, in the order of `tags`. A quorum
  /// queue does so a moment later. It shuffles them if more than 32 returns and acknowledgments are
  /// on their way to it (rabbit_quorum_queue.erl, `quorum_commands_soft_limit`).
  /// - Parameter tags: the tags of deliveries that are out.
  mutating func giveBack(_ tags: [UInt64]) throws(QueueError) {
    // Otherwise they would come again at once.
    try endSubscriptions()
    try hearAll(waits: false)
    var isAlone = !replies.inbox.awaitsReplies
    var expected = isAlone ? try count() : 0
    // A busy disk may delay a quorum queue for seconds. Waits less for a few messages: if others have taken them
    // unnoticed, the count is never reached.
    let patience = Duration.seconds(tags.count > Self.windowLength ? 10 : 1)
    // Sends the first one alone: once it is back, no earlier acknowledgment is still on its way.
    var window = tags.prefix(1)
    while !window.isEmpty {
      for tag in window {
        try send(AMQP_BASIC_NACK_METHOD, amqp_basic_nack_t(delivery_tag: tag, multiple: 0, requeue: 1))
      }
      try waitUntilDone()
      // Throws if the queue was deleted. Then the messages may not have got there: they stay out.
      if isAlone { _ = try count() }
      replies.inbox.settle(window)
      expected += window.count
      if isAlone { isAlone = try waitUntilCount(reaches: expected, patience: patience) }
      window = tags[window.endIndex...].prefix(Self.windowLength)
    }
  }

  /// Returns messages that have arrived, but for which there is no memory.
  mutating func giveBackExcess() throws(QueueError) {
    guard replies.inbox.hasExcess else { return }
    // What is still on its way goes back with them.
    try endSubscriptions()
    try hearAll(waits: false)
    try giveBack(replies.inbox.takeExcess())
  }

  /// Waits until the queue holds `expected` messages. Returns false if others are seen to take
  /// some, or if none comes back for `patience`.
  private func waitUntilCount(reaches expected: Int, patience: Duration) throws(QueueError) -> Bool {
    var last = try count()
    var end = ContinuousClock.now + patience
    while last < expected {
      guard ContinuousClock.now < end else { return false }
      usleep(1_000)
      let current = try count()
      if current < last { return false }
      if current > last { end = .now + patience }
      last = current
    }
    return true
  }

  /// Waits until the broker has processed acknowledgments. They have no reply, so a method that has
  /// one follows. If messages have arrived or are ahead of that reply, a later call waits for it.
  private func waitUntilDone() throws(QueueError) {
    try send(AMQP_BASIC_QOS_METHOD, amqp_basic_qos_t(prefetch_size: 0, prefetch_count: 0, global: 0))
    replies.inbox.pendingBarriers += 1
    let start = ContinuousClock.now
    while replies.inbox.pendingBarriers > 0 {
      let mayBeLate = replies.inbox.outstandingReplies > 0 || !replies.inbox.arrived.isEmpty
      if try replies.keepNext(until: start + (mayBeLate ? Self.moment : ReplyQueue.timeout)) { continue }
      if mayBeLate { return }
      throw replies.timeoutError
    }
  }
}
