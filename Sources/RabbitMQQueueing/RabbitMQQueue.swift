package import Queueing

/// A queue of RabbitMQ, classic or quorum, which workers on many machines may share.
///
/// A message is on lease as long as the connection on which it was handed out: when that breaks, or its process dies, the broker
/// hands it to somebody else at once. A message that is given back counts like one whose worker has died: RabbitMQ does not tell the two apart.
package struct RabbitMQQueue: Queue {
  let link: RabbitMQLink

  /// Connects. Blocks.
  /// - Parameters:
  ///   - certificateFile: a PEM file with certificates to trust beside the system's.
  ///   - tell: told that the broker takes nothing for now, and why, and when it does again: from any thread, and not to wait for.
  /// - Throws: `QueueError.refused` for what will never work, `.unavailable` for what may later.
  package init(
    _ url: RabbitMQURL, certificateFile: String? = nil, tell: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(QueueError) {
    link = try RabbitMQLink(url, certificateFile: certificateFile, tell: tell)
  }

  package func receive(_ limit: Int, patience: Duration) async throws(QueueError) -> [Delivery]? {
    let queue = try queue
    let isWaiting = patience > .zero
    return try await Patience.wait(patience) { () async throws(QueueError) in
      try await link.use { (session) throws(QueueError) in
        let taken = try session.believed(
          session.take(limit, from: queue, waits: !isWaiting), from: queue)
        // Who does not wait sorts or looks through the queue, and does not work on what is in it.
        return session.leases(isWaiting ? try session.count(taken, from: queue) : taken)
      }
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
      var taken: [AMQPDelivery] = []
      // What comes meanwhile is not looked at: others may be as fast as this.
      let limit = min(limit, try session.count(of: queue) + session.arrived.count)
      while case let more = try session.take(limit - taken.count, from: queue, waits: true), !more.isEmpty {
        taken += more
      }
      if !taken.isEmpty { try session.giveBack(taken.map(\.tag), to: queue) }
      return taken.map(\.message)
    }
  }

  /// RabbitMQ does not tell what others have.
  package var isEmpty: Bool {
    get async throws(QueueError) {
      let queue = try queue
      return try await link.use { (session) throws(QueueError) in
        guard session.unsettled.isEmpty, !session.isBehind else { return false }
        return try session.count(of: queue) == 0
      }
    }
  }

  /// RabbitMQ tells of what waits only, and not since when.
  package var backlog: Backlog? {
    get async throws(QueueError) {
      let queue = try queue
      return try await link.use { (session) throws(QueueError) -> Backlog? in
        // The answer would come behind messages that are late, and all who settle would wait for it.
        session.isBehind ? nil : Backlog(waiting: try session.count(of: queue))
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
        receipt: RabbitMQReceipt(session: id, tag: delivery.tag).text, arrival: delivery.arrival)
    }
  }
}
