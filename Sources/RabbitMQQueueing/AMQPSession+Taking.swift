internal import CRabbitMQ
internal import Glibc
internal import Queueing

extension AMQPSession {
  /// Messages that are requested or given back at once.
  private static var windowLength: Int { 32 }
  /// From this many wanted messages on, a subscription is worth its beginning and its end.
  private static var leastBulk: Int { 4 }
  /// A queue that holds this many times the wanted number will still have enough after others have taken
  /// theirs.
  private static var abundance: Int { 8 }
  /// How long a message that has arrived waits for those behind it, while its own deadline is running.
  private static var moment: Duration { .milliseconds(250) }

  /// What is in `queue` now, oldest first: at most `limit`, fewer if they are long.
  ///
  /// Never by a lasting subscription: when no more are wanted, it has further messages on their way, and
  /// RabbitMQ counts those as handed out, as if a worker had died with them.
  ///
  /// - Parameter waits: whether to wait for all that was requested. Otherwise the next call hands out what
  ///   comes late.
  mutating func take(_ limit: Int, from queue: String, waits: Bool) throws(QueueError) -> [AMQPDelivery] {
    guard limit > 0 else { return [] }
    if intake.arrived.isEmpty { try hearAll(waits: waits) }
    if intake.arrived.isEmpty, intake.outstandingReplies == 0 { try ask(for: limit, of: queue, waits: waits) }
    return intake.takeArrived(limit)
  }

  private mutating func ask(for limit: Int, of queue: String, waits: Bool) throws(QueueError) {
    // Counting costs a quorum queue nothing; a get that finds nothing costs a write to the disk.
    let waiting = try count(of: queue)
    let bulk = min(limit, affordable(in: MessageLimits.maximumBatchSize), Int(UInt16.max))
    if bulk >= Self.leastBulk, waiting / Self.abundance >= limit, try maySubscribe(to: queue) {
      return try subscribe(for: bulk, of: queue, waits: waits)
    }
    try get(min(limit, waiting), from: queue, waits: waits)
    if !intake.arrived.isEmpty { intake.hasTakenOneByOne = true }
  }

  /// How many messages of the expected size fit into `room` bytes: at least one.
  private func affordable(in room: Int) -> Int { max(1, room / max(1, intake.expectedSize)) }

  /// Takes messages one by one.
  /// - Parameter count: at most as many as are in `queue`.
  private mutating func get(_ count: Int, from queue: String, waits: Bool) throws(QueueError) {
    let pool = AMQPPool()
    let get = unsafe amqp_basic_get_t(ticket: 0, queue: pool.text(queue), no_ack: 0)
    var rest = count
    intake.hasFoundNone = false
    while rest > 0, !intake.hasFoundNone, intake.outstandingReplies == 0 {
      let room = MessageLimits.maximumBatchSize - intake.arrived.reduce(0) { $0 + $1.message.size }
      guard room > 0 else { return }
      intake.outstandingReplies = min(rest, Self.windowLength, affordable(in: room))
      rest -= intake.outstandingReplies
      intake.lastReply = .now
      for _ in 0..<intake.outstandingReplies {
        unsafe try connection.send(AMQP_BASIC_GET_METHOD, get, on: Self.takingChannel)
      }
      try hearAll(waits: waits)
    }
  }

  /// Waits for outstanding replies.
  /// - Parameter waits: whether for all of them, however long a message that has arrived waits for those
  ///   behind it.
  mutating func hearAll(waits: Bool) throws(QueueError) {
    let start = ContinuousClock.now
    while intake.outstandingReplies > 0 {
      let end =
        waits ? intake.lastReply + Self.replyTimeout : (intake.arrived.first?.arrival ?? start) + Self.moment
      if try keepNext(until: end) { continue }
      if ContinuousClock.now >= intake.lastReply + Self.replyTimeout { throw replyTimeoutError }
      return
    }
  }

  /// Counts hand-outs where the queue does not: publishes copies, with the count in a header, of messages
  /// that came back from a worker that died with them, and acknowledges the originals. The copies are at the
  /// end of the queue. Otherwise such a message would kill one worker after the other.
  /// - Returns: the other deliveries, which are counted.
  mutating func republishUncounted(_ deliveries: [AMQPDelivery], in queue: String) throws(QueueError)
    -> [AMQPDelivery]
  {
    let uncounted = deliveries.filter(\.isUncounted)
    guard !uncounted.isEmpty else { return deliveries }
    let copies = uncounted.map { delivery in
      var message = delivery.message
      message.headers.append(Header(Message.crashHeader, "\(delivery.attempt - 1)"))
      return message
    }
    let results = try publish(copies, to: RabbitMQURL.Target(exchange: "", routingKey: queue))
    let renewed = Set(zip(uncounted, results).filter { $0.1 == .sent }.map(\.0.tag))
    try acknowledge(renewed)
    return deliveries.filter { !renewed.contains($0.tag) }
  }

  /// Messages of `queue` that are not handed out.
  mutating func count(of queue: String) throws(QueueError) -> Int {
    try declare(queue, .passive, on: Self.takingChannel)
    let event = try reply()
    guard case .counted(let count) = event else { throw unexpected(event) }
    return count
  }

  /// Takes messages out of their queue for good.
  ///
  /// Those that are older than all else that is out go with one method. Of what came by one subscription, that
  /// is one command to a quorum queue, and otherwise each is one (rabbit_channel.erl, `foreach_per_queue`). It
  /// names nothing else: the broker numbers what it hands out in the order in which it sends it, and all that
  /// has arrived is in `unsettled` until its acknowledgement, or its return, has been sent.
  /// - Parameter tags: of deliveries that are out.
  mutating func acknowledge(_ tags: Set<UInt64>) throws(QueueError) {
    guard !tags.isEmpty else { return }
    let oldestOther = unsettled.subtracting(tags).min() ?? .max
    let together = tags.filter { $0 < oldestOther }
    connection.setCorked(true)
    if let last = together.max() { try acknowledge(last, isMultiple: together.count > 1) }
    for tag in tags.subtracting(together).sorted() { try acknowledge(tag, isMultiple: false) }
    connection.setCorked(false)
    unsettled.subtract(tags)
    try waitUntilDone()
  }

  /// - Parameter isMultiple: whether for all that are out before it, too (AMQP 0-9-1 reference, `basic.ack`).
  private mutating func acknowledge(_ tag: UInt64, isMultiple: Bool) throws(QueueError) {
    let ack = amqp_basic_ack_t(delivery_tag: tag, multiple: isMultiple ? 1 : 0)
    try connection.send(AMQP_BASIC_ACK_METHOD, ack, on: Self.takingChannel)
  }

  /// Returns messages to their places at the front of the queue, in the order of `tags`. A quorum queue does
  /// so a moment later, and shuffles them where more than 32 returns and acknowledgements are on their way to
  /// it (rabbit_quorum_queue.erl, `quorum_commands_soft_limit`).
  /// - Parameter tags: of deliveries that are out.
  mutating func giveBack(_ tags: [UInt64], to queue: String) throws(QueueError) {
    var isAlone = !intake.awaitsReplies
    var expected = isAlone ? try count(of: queue) : 0
    // A busy disk keeps a write of a quorum queue for seconds. But others may have taken a few unseen.
    let patience = Duration.seconds(tags.count > Self.windowLength ? 10 : 1)
    // The first alone: once it is there, what was acknowledged before is not on its way any more.
    var window = tags.prefix(1)
    while !window.isEmpty {
      for tag in window {
        let nack = amqp_basic_nack_t(delivery_tag: tag, multiple: 0, requeue: 1)
        try connection.send(AMQP_BASIC_NACK_METHOD, nack, on: Self.takingChannel)
      }
      try waitUntilDone()
      // If the queue is found deleted here, they may never have got there: not before are they out no more.
      if isAlone { _ = try count(of: queue) }
      unsettled.subtract(window)
      expected += window.count
      if isAlone { isAlone = try waitUntilCount(reaches: expected, queue, patience: patience) }
      window = tags[window.endIndex...].prefix(Self.windowLength)
    }
  }

  /// Waits until a queue holds `count` messages, while nobody is seen to take any.
  /// - Parameter patience: how long to wait while none comes back.
  /// - Returns: whether it holds them.
  private mutating func waitUntilCount(
    reaches count: Int, _ queue: String, patience: Duration
  ) throws(QueueError) -> Bool {
    var last = try self.count(of: queue)
    var end = ContinuousClock.now + patience
    while last < count {
      guard ContinuousClock.now < end else { return false }
      usleep(1_000)
      let current = try self.count(of: queue)
      if current < last { return false }
      if current > last { end = .now + patience }
      last = current
    }
    return true
  }

  /// Waits until the broker has processed acknowledgements, which have no reply, by a method behind them that
  /// has one. If late messages are ahead of that reply, or have already arrived, it is awaited by a later
  /// call.
  private mutating func waitUntilDone() throws(QueueError) {
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: 0, global: 0)
    try connection.send(AMQP_BASIC_QOS_METHOD, qos, on: Self.takingChannel)
    intake.pendingBarriers += 1
    let start = ContinuousClock.now
    while intake.pendingBarriers > 0 {
      let mayBeLate = intake.outstandingReplies > 0 || !intake.arrived.isEmpty
      if try keepNext(until: start + (mayBeLate ? Self.moment : Self.replyTimeout)) { continue }
      if mayBeLate { return }
      throw replyTimeoutError
    }
  }
}
