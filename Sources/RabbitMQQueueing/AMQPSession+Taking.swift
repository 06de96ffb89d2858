internal import CRabbitMQ
internal import Glibc
internal import Queueing

extension AMQPSession {
  /// Messages that are asked for at once.
  private static var windowLength: Int { 32 }

  /// What lies in `queue` now, `limit` at most, oldest first.
  ///
  /// One by one, and not by a subscription: that has messages on their way to us when we want no more of them, and RabbitMQ counts
  /// those as handed out, as if somebody had died with them.
  mutating func take(_ limit: Int, from queue: String) throws(QueueError) -> [AMQPDelivery] {
    let pool = AMQPPool()
    let get = unsafe amqp_basic_get_t(ticket: 0, queue: pool.text(queue), no_ack: 0)
    // A look costs a quorum queue nothing, and a get that finds nothing a write to the disk.
    var expected = limit > 0 ? min(limit, try count(of: queue)) : 0
    var taken: [AMQPDelivery] = []
    while expected > 0 {
      let asked = min(expected, Self.windowLength)
      expected -= asked
      for _ in 0..<asked { unsafe try connection.send(AMQP_BASIC_GET_METHOD, get, on: Self.takingChannel) }
      for _ in 0..<asked {
        switch try answer() {
        case .delivered(let delivery):
          unsettled.insert(delivery.tag)
          taken.append(delivery)
        // Somebody else was faster.
        case .empty: expected = 0
        case let event: throw unexpected(event)
        }
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
    let qos = amqp_basic_qos_t(prefetch_size: 0, prefetch_count: 0, global: 0)
    try connection.send(AMQP_BASIC_QOS_METHOD, qos, on: Self.takingChannel)
    try wait(for: AMQP_BASIC_QOS_OK_METHOD)
  }
}
