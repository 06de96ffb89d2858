internal import CRabbitMQ
internal import Glibc
internal import Queueing

extension AMQPSession {
  /// Has the broker send messages of `queue` as they come, `limit` at most until they are settled.
  /// - Returns: the name of the subscription.
  mutating func subscribe(to queue: String, limit: Int) throws(QueueError) -> String {
    let name = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let pool = AMQPPool()
    arrived[name] = []
    try limitNext(to: limit)
    let consume = unsafe amqp_basic_consume_t(
      ticket: 0, queue: pool.text(queue), consumer_tag: pool.text(name), no_local: 0, no_ack: 0, exclusive: 0,
      nowait: 0, arguments: amqp_empty_table)
    unsafe try connection.send(AMQP_BASIC_CONSUME_METHOD, consume, on: Self.takingChannel)
    try wait(for: AMQP_BASIC_QOS_OK_METHOD)
    try wait(for: AMQP_BASIC_CONSUME_OK_METHOD)
    return name
  }

  /// Ends a subscription. A message that comes later nevertheless is for whoever takes next.
  /// - Returns: what came for it.
  mutating func unsubscribe(_ name: String) throws(QueueError) -> [AMQPDelivery] {
    let pool = AMQPPool()
    let cancel = unsafe amqp_basic_cancel_t(consumer_tag: pool.text(name), nowait: 0)
    unsafe try connection.send(AMQP_BASIC_CANCEL_METHOD, cancel, on: Self.takingChannel)
    // The queue says so itself, behind what it has handed out.
    try wait(for: AMQP_BASIC_CANCEL_OK_METHOD)
    return arrived.removeValue(forKey: name) ?? []
  }

  /// What lies in `queue` now, `limit` at most.
  mutating func take(_ limit: Int, from queue: String) throws(QueueError) -> [AMQPDelivery] {
    var taken = takeStrays(limit)
    while taken.count < limit {
      let more = try unsubscribe(subscribe(to: queue, limit: limit - taken.count))
      taken += more
      // Only this one knows for sure that there is nothing.
      if more.isEmpty {
        guard let last = try get(from: queue) else { break }
        taken.append(last)
      }
    }
    return taken
  }

  /// Has hand-outs counted where the queue does not do it: a message that comes back from somebody who died with it is put into the
  /// queue anew, at its end, with a number. Otherwise it would kill one worker after the other, for ever.
  /// - Returns: those for which there was nothing to do.
  mutating func count(_ deliveries: [AMQPDelivery], from queue: String) throws(QueueError) -> [AMQPDelivery] {
    let uncounted = deliveries.filter(\.isUncounted)
    guard !uncounted.isEmpty else { return deliveries }
    let copies = uncounted.map { delivery in
      var message = delivery.message
      message.headers.append(Header(AMQPProperties.crashHeader, "\(delivery.attempt - 1)"))
      return message
    }
    let failures = try publish(copies, to: RabbitMQURL.Target(exchange: "", routingKey: queue))
    let renewed = Set(zip(uncounted, failures).filter { $0.1 == nil }.map(\.0.tag))
    try acknowledge(renewed)
    return deliveries.filter { !renewed.contains($0.tag) }
  }

  mutating func takeStrays(_ limit: Int) -> [AMQPDelivery] {
    defer { strays.removeFirst(min(limit, strays.count)) }
    return Array(strays.prefix(limit))
  }

  private mutating func get(from queue: String) throws(QueueError) -> AMQPDelivery? {
    let pool = AMQPPool()
    let get = unsafe amqp_basic_get_t(ticket: 0, queue: pool.text(queue), no_ack: 0)
    unsafe try connection.send(AMQP_BASIC_GET_METHOD, get, on: Self.takingChannel)
    switch try answer() {
    case .empty: return nil
    case .delivered(let delivery):
      unsettled.insert(delivery.tag)
      return delivery
    case let event: throw unexpected(event)
    }
  }

  /// Messages of `queue` that nobody has.
  mutating func count(of queue: String) throws(QueueError) -> Int {
    try declare(queue, .look, on: Self.takingChannel)
    let event = try answer()
    guard case .counted(let count) = event else { throw unexpected(event) }
    return count
  }

  /// Takes messages out of their queue for good.
  /// - Parameter tags: of deliveries that are out.
  mutating func acknowledge(_ tags: some Sequence<UInt64>) throws(QueueError) {
    for tag in tags {
      let ack = amqp_basic_ack_t(delivery_tag: tag, multiple: 0)
      try connection.send(AMQP_BASIC_ACK_METHOD, ack, on: Self.takingChannel)
      unsettled.remove(tag)
    }
    try waitUntilDone()
  }

  /// Puts messages back to where they were in their queue. A quorum queue does so a moment later, which is waited for: up to a
  /// second, as somebody else may have taken them meanwhile.
  /// - Parameter tags: of deliveries that are out.
  mutating func giveBack(_ tags: [UInt64], to queue: String) throws(QueueError) {
    for tag in tags {
      let nack = amqp_basic_nack_t(delivery_tag: tag, multiple: 0, requeue: 1)
      try connection.send(AMQP_BASIC_NACK_METHOD, nack, on: Self.takingChannel)
      unsettled.remove(tag)
    }
    try waitUntilDone()
    let end = ContinuousClock.now + .seconds(1)
    while try count(of: queue) < tags.count, ContinuousClock.now < end { usleep(2_000) }
  }

  /// An acknowledgement has no answer; what is asked for behind it has.
  private mutating func waitUntilDone() throws(QueueError) {
    try limitNext(to: 1)
    try wait(for: AMQP_BASIC_QOS_OK_METHOD)
  }

  /// For the next subscription, and for each by itself: quorum queues know no limit for a whole channel.
  private func limitNext(to limit: Int) throws(QueueError) {
    let limit = UInt16(clamping: max(1, limit))
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: limit, global: 0)
    try connection.send(AMQP_BASIC_QOS_METHOD, qos, on: Self.takingChannel)
  }
}
