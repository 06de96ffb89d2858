internal import CRabbitMQ
internal import Glibc
internal import Queueing

extension AMQPSession {
  /// Messages that are asked for or given back at once.
  private static var windowLength: Int { 32 }
  /// As many as are wanted at least for a subscription to be worth its beginning and its end.
  private static var bulk: Int { 4 }
  /// Of a queue that holds so many times what is wanted, others leave that much.
  private static var abundance: Int { 8 }
  /// For which a message that was got waits for those behind it: its thirty seconds are running.
  private static var moment: Duration { .milliseconds(250) }

  /// What lies in `queue` now, `limit` at most, or fewer that are long, oldest first.
  ///
  /// Never by a subscription that lasts: it has messages on their way to us when we want no more of them, and RabbitMQ counts those
  /// as handed out, as if somebody had died with them.
  ///
  /// - Parameter waits: whether for all that was asked for. What comes late is handed out by the next call otherwise.
  mutating func take(_ limit: Int, from queue: String, waits: Bool) throws(QueueError) -> [AMQPDelivery] {
    guard limit > 0 else { return [] }
    if arrived.isEmpty { try hearAll(waits: waits) }
    if arrived.isEmpty, outstandingReplies == 0 { try ask(for: limit, of: queue, waits: waits) }
    defer { arrived.removeFirst(min(limit, arrived.count)) }
    return Array(arrived.prefix(limit))
  }

  private mutating func ask(for limit: Int, of queue: String, waits: Bool) throws(QueueError) {
    // A look costs a quorum queue nothing, and a get that finds nothing a write to the disk.
    let waiting = try count(of: queue)
    let bulk = min(limit, affordable(in: MessageLimits.maximumBatchSize), Int(UInt16.max))
    if bulk >= Self.bulk, waiting / Self.abundance >= limit, try maySubscribe(to: queue) {
      return try subscribe(for: bulk, of: queue, waits: waits)
    }
    try get(min(limit, waiting), from: queue, waits: waits)
    if !arrived.isEmpty { hasTakenOneByOne = true }
  }

  /// How many messages there is room for, in bytes: one at the least.
  private func affordable(in room: Int) -> Int { max(1, room / max(1, expectedSize)) }

  /// One by one.
  /// - Parameter count: no more than lies in `queue`.
  private mutating func get(_ count: Int, from queue: String, waits: Bool) throws(QueueError) {
    let pool = AMQPPool()
    let get = unsafe amqp_basic_get_t(ticket: 0, queue: pool.text(queue), no_ack: 0)
    var rest = count
    hasFoundNone = false
    while rest > 0, !hasFoundNone, outstandingReplies == 0 {
      let room = MessageLimits.maximumBatchSize - arrived.reduce(0) { $0 + $1.message.size }
      guard room > 0 else { return }
      outstandingReplies = min(rest, Self.windowLength, affordable(in: room))
      rest -= outstandingReplies
      lastReply = .now
      for _ in 0..<outstandingReplies {
        unsafe try connection.send(AMQP_BASIC_GET_METHOD, get, on: Self.takingChannel)
      }
      try hearAll(waits: waits)
    }
  }

  /// Waits for the answers that are to come.
  /// - Parameter waits: whether for all of them, however long a message waits for those behind it.
  mutating func hearAll(waits: Bool) throws(QueueError) {
    let start = ContinuousClock.now
    while outstandingReplies > 0 {
      let end = waits ? lastReply + Self.replyTimeout : (arrived.first?.arrival ?? start) + Self.moment
      if try keepNext(until: end) { continue }
      if ContinuousClock.now >= lastReply + Self.replyTimeout { throw replyTimeoutError }
      return
    }
  }

  /// Has hand-outs counted where the queue does not do it: a message that comes back from somebody who died with it is put into the
  /// queue anew, at its end, with a number. Otherwise it would kill one worker after the other, for ever.
  /// - Returns: those for which there was nothing to do.
  mutating func republishUncounted(_ deliveries: [AMQPDelivery], in queue: String) throws(QueueError)
    -> [AMQPDelivery]
  {
    let uncounted = deliveries.filter(\.isUncounted)
    guard !uncounted.isEmpty else { return deliveries }
    let copies = uncounted.map { delivery in
      var message = delivery.message
      message.headers.append(Header(AMQPProperties.crashHeader, "\(delivery.attempt - 1)"))
      return message
    }
    let results = try publish(copies, to: RabbitMQURL.Target(exchange: "", routingKey: queue))
    let renewed = Set(zip(uncounted, results).filter { (try? $0.1.get()) != nil }.map(\.0.tag))
    try acknowledge(renewed)
    return deliveries.filter { !renewed.contains($0.tag) }
  }

  /// Messages of `queue` that nobody has.
  mutating func count(of queue: String) throws(QueueError) -> Int {
    try declare(queue, .passive, on: Self.takingChannel)
    let event = try reply()
    guard case .counted(let count) = event else { throw unexpected(event) }
    return count
  }

  /// Takes messages out of their queue for good.
  /// - Parameter tags: of deliveries that are out.
  mutating func acknowledge(_ tags: some Sequence<UInt64>) throws(QueueError) {
    connection.setCorked(true)
    for tag in tags {
      let ack = amqp_basic_ack_t(delivery_tag: tag, multiple: 0)
      try connection.send(AMQP_BASIC_ACK_METHOD, ack, on: Self.takingChannel)
      unsettled.remove(tag)
    }
    connection.setCorked(false)
    try waitUntilDone()
  }

  /// Puts messages back to where they were in their queue: in front, in the order of `tags`. A quorum queue does so a moment later,
  /// and shuffles what it is given more than 32 of at once.
  /// - Parameter tags: of deliveries that are out.
  mutating func giveBack(_ tags: [UInt64], to queue: String) throws(QueueError) {
    var isAlone = !awaitsReplies
    var expected = isAlone ? try count(of: queue) : 0
    for start in stride(from: 0, to: tags.count, by: Self.windowLength) {
      let window = tags[start..<min(start + Self.windowLength, tags.count)]
      for tag in window {
        let nack = amqp_basic_nack_t(delivery_tag: tag, multiple: 0, requeue: 1)
        try connection.send(AMQP_BASIC_NACK_METHOD, nack, on: Self.takingChannel)
        unsettled.remove(tag)
      }
      try waitUntilDone()
      expected += window.count
      if isAlone { isAlone = try waitUntilCount(reaches: expected, queue) }
    }
  }

  /// Waits until a queue holds this many messages, for a second at most: somebody else may take them.
  private mutating func waitUntilCount(reaches count: Int, _ queue: String) throws(QueueError) -> Bool {
    let end = ContinuousClock.now + .seconds(1)
    while try self.count(of: queue) < count {
      guard ContinuousClock.now < end else { return false }
      usleep(1_000)
    }
    return true
  }

  /// An acknowledgement has no answer; what is asked for behind it has. Where that stands behind messages that are late, or such have
  /// come, it is heard later.
  private mutating func waitUntilDone() throws(QueueError) {
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: 0, global: 0)
    try connection.send(AMQP_BASIC_QOS_METHOD, qos, on: Self.takingChannel)
    pendingBarriers += 1
    let start = ContinuousClock.now
    while pendingBarriers > 0 {
      let mayBeLate = outstandingReplies > 0 || !arrived.isEmpty
      if try keepNext(until: start + (mayBeLate ? Self.moment : Self.replyTimeout)) { continue }
      if mayBeLate { return }
      throw replyTimeoutError
    }
  }
}
