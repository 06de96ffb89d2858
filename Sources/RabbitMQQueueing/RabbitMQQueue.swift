package import Queueing

/// A queue of RabbitMQ, classic or quorum, which workers on many machines may share.
///
/// A message is on lease as long as the connection on which it was handed out: when that breaks, or its process dies, the broker
/// hands it to somebody else at once. No more is taken than was asked for, so that nothing counts as handed out that nobody has
/// worked on. A message that is given back counts like one whose worker has died: RabbitMQ does not tell the two apart.
package struct RabbitMQQueue: Queue {
  let link: RabbitMQLink

  /// Connects. Blocks.
  /// - Parameter certificateFile: a PEM file with certificates to trust beside the system's.
  /// - Throws: `QueueError.refused` for what will never work, `.unavailable` for what may later.
  package init(_ url: RabbitMQURL, certificateFile: String? = nil) throws(QueueError) {
    link = try RabbitMQLink(url, certificateFile: certificateFile)
  }

  package func receive(_ limit: Int, patience: Duration) async throws(QueueError) -> [Delivery]? {
    let queue = try queue
    guard limit > 0 else { return [] }
    let end = ContinuousClock.now + patience
    let isWaiting = patience > .zero
    var taken = try await link.use { (session) throws(QueueError) in
      let taken = try session.take(limit, from: queue)
      // Who does not wait sorts or looks through the queue, and does not work on what is in it.
      return session.leases(isWaiting ? try session.count(taken, from: queue) : taken)
    }
    while taken.isEmpty, ContinuousClock.now < end, !Task.isCancelled {
      taken = try await wait(for: limit, of: queue, until: end)
    }
    return taken
  }

  private func wait(
    for limit: Int, of queue: String, until end: ContinuousClock.Instant
  ) async throws(QueueError) -> [Delivery] {
    let (session, subscription) = try await link.use { (session) throws(QueueError) in
      (session.id, try session.subscribe(to: queue, limit: limit))
    }
    _ = try await link.listen(for: subscription, of: session, until: end)
    return try await link.use { (current) throws(QueueError) in
      try current.expect(session)
      let taken = try current.unsubscribe(subscription)
      return current.leases(try current.count(taken, from: queue))
    }
  }

  /// The lease lasts as long as the connection: whether that is there is all there is to see.
  package func extend(_ deliveries: [Delivery]) async throws(QueueError) {
    try await link.use { (session) throws(QueueError) in try session.breathe() }
  }

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    let queue = try queue
    let receipts = deliveries.compactMap { RabbitMQReceipt($0.receipt) }
    try await link.use { (session) throws(QueueError) in
      try session.breathe()
      let out = Set(receipts.filter { session.isOut($0) }.map(\.tag))
      // In the order in which they were handed out, which is that in which they stand in the queue then.
      if !out.isEmpty { try session.giveBack(out.sorted(), to: queue) }
    }
  }

  package func publish(_ messages: [Message]) async throws(QueueError) { try await link.publish(messages) }

  package func settle(_ delivery: Delivery, publishing publications: [Publication]) async throws(QueueError) {
    let receipt = RabbitMQReceipt(delivery.receipt)
    let isOut = try await link.use { (session) throws(QueueError) in
      try session.breathe()
      return receipt.map { session.isOut($0) } ?? false
    }
    guard isOut else { throw .leaseLost(id: delivery.message.id) }
    try await publications.publish()
    try await link.acknowledge(delivery)
  }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    let queue = try queue
    return try await link.use { (session) throws(QueueError) in
      let taken = try session.take(limit, from: queue)
      if !taken.isEmpty { try session.giveBack(taken.map(\.tag), to: queue) }
      return taken.map(\.message)
    }
  }

  /// RabbitMQ does not tell what others have.
  package var isEmpty: Bool {
    get async throws(QueueError) {
      let queue = try queue
      return try await link.use { (session) throws(QueueError) in
        guard session.unsettled.isEmpty else { return false }
        return try session.count(of: queue) == 0
      }
    }
  }

  private var queue: String {
    get throws(QueueError) {
      guard let queue = link.url.queue else {
        throw .refused("nothing can be taken from an exchange: name a queue with queue=NAME")
      }
      return queue
    }
  }
}

extension AMQPSession {
  func leases(_ deliveries: [AMQPDelivery]) -> [Delivery] {
    deliveries.map { delivery in
      Delivery(
        message: delivery.message, attempt: delivery.attempt,
        receipt: RabbitMQReceipt(session: id, tag: delivery.tag).text)
    }
  }

  /// - Throws: `QueueError.unavailable` when this is another session than the one meant.
  func expect(_ session: UInt64) throws(QueueError) {
    guard session == id else { throw .unavailable("\(server.name) was gone for a while") }
  }

  /// Waits until something has come for a subscription, or something else is to be done, or `end`.
  /// - Returns: whether something has come.
  mutating func listen(
    for subscription: String, of session: UInt64, until end: ContinuousClock.Instant, unless wakeup: Wakeup
  ) throws(QueueError) -> Bool {
    try expect(session)
    while true {
      try breathe()
      if arrived[subscription]?.isEmpty == false { return true }
      if wakeup.isPending || ContinuousClock.now >= end { return false }
      wakeup.wait(for: connection.descriptor, until: end)
    }
  }
}
