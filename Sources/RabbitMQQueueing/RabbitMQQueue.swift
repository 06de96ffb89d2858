package import Queueing

/// A queue of RabbitMQ, classic or quorum, which workers on many machines may share.
///
/// A message is on lease as long as the connection on which it was handed out lasts: when that breaks, or its
/// process dies, the broker hands the message to another consumer at once. When the queue is deleted and
/// this is noticed while messages are out, they can be settled all the same; those that are released go into
/// the queue that is made again. When others have made it again before it is noticed, those that are released
/// are lost: the broker accepts them for the old one without a word. A message that is given back counts like
/// one whose worker has died, because RabbitMQ does not tell the two apart; only quorum queues since RabbitMQ
/// 4.3 do not count it.
package struct RabbitMQQueue: Source, Sink {
  let client: RabbitMQClient
  /// Publishes into the queue itself, whatever exchange the URL names beside it, over a connection of its
  /// own, made at first use. The one that holds the leases must not do it: an alarm blocks one that
  /// publishes, a refusal ends it, and all leases would end with it.
  let requeuer: RabbitMQClient

  /// Connects. Blocks.
  /// - Parameters:
  ///   - certificateFile: a PEM file with certificates to trust beside the system's.
  ///   - tell: told when the broker takes nothing for now, and why, and when it does again. Called on any
  ///     thread; must not block.
  /// - Throws: `QueueError.refused` for what will never work, `.unavailable` for what may later.
  package init(
    _ url: RabbitMQURL, certificateFile: String? = nil, tell: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(QueueError) {
    client = try RabbitMQClient(url, certificateFile: certificateFile, tell: tell)
    var ownURL = url
    ownURL.target = RabbitMQURL.Target(exchange: "", routingKey: url.queue ?? "")
    requeuer = try RabbitMQClient(ownURL, certificateFile: certificateFile, connects: false, tell: tell)
  }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    let queue = try queue
    let isWaiting = duration > .zero
    return try await Polling.poll(for: duration) { () async throws(QueueError) in
      try await client.use { (session) throws(QueueError) in
        let taken = try session.correctingDeliveryCounts(
          session.take(limit, from: queue, waits: !isWaiting), from: queue)
        // A caller that does not wait sorts or inspects the queue, and must not reorder it by republishing.
        return session.leases(isWaiting ? try session.republishUncounted(taken, in: queue) : taken)
      }
    }
  }

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    let queue = try queue
    let receipts = deliveries.compactMap { RabbitMQReceipt($0.receipt) }
    let orphans = try await client.use { (session) throws(QueueError) in
      do throws(QueueError) {
        try session.serviceConnection()
        let out = Set(receipts.filter { session.isOut($0) }.map(\.tag))
        // In the order in which they were handed out, which becomes their order in the queue.
        if !out.isEmpty { try session.giveBack(out.sorted(), to: queue) }
      } catch {
        guard !session.orphans.isDisjoint(with: receipts) else { throw error }
        // The next use makes the queue again. What is no orphan goes back as this session ends.
        session.isStale = true
      }
      return session.orphans.intersection(receipts)
    }
    // Their queue was deleted, and is made again.
    for delivery in deliveries {
      if let receipt = RabbitMQReceipt(delivery.receipt), orphans.contains(receipt) {
        try await requeue(delivery)
      }
    }
  }

  package func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    try await client.publish(messages)
  }

  @discardableResult
  package func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    try await client.check(delivery)
    let result = try await publications.publish()
    if result == .sent { try await client.acknowledge(delivery) }
    return result
  }

  package func requeue(_ delivery: Delivery) async throws(QueueError) {
    let queue = try queue
    try await client.check(delivery)
    // Fails where the queue was deleted, and says so: the requeuer would make it again, and nobody would ever
    // know that what else is out is nobody's any more.
    try await client.use { (session) throws(QueueError) in
      if !session.intake.awaitsReplies { _ = try session.count(of: queue) }
    }
    for result in try await requeuer.publish([delivery.requeuedMessage]) { try result.orThrow() }
    try await client.acknowledge(delivery)
  }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    let queue = try queue
    return try await client.use { (session) throws(QueueError) in
      var taken: [AMQPDelivery] = []
      // Without what is published meanwhile: publishers may be as fast as this loop.
      let limit = min(limit, try session.count(of: queue) + session.intake.arrived.count)
      while case let more = try session.take(limit - taken.count, from: queue, waits: true), !more.isEmpty {
        taken += more
      }
      if !taken.isEmpty { try session.giveBack(taken.map(\.tag), to: queue) }
      return taken.map(\.message)
    }
  }

  /// RabbitMQ does not tell what is handed out to others.
  package var isEmpty: Bool {
    get async throws(QueueError) {
      let queue = try queue
      return try await client.use { (session) throws(QueueError) in
        guard session.unsettled.isEmpty, !session.intake.awaitsReplies else { return false }
        return try session.count(of: queue) == 0
      }
    }
  }

  /// RabbitMQ tells only how many messages wait, and not how old they are.
  package var backlog: Backlog? {
    get async throws(QueueError) {
      let queue = try queue
      return try await client.use { (session) throws(QueueError) -> Backlog? in
        // The reply would come behind late messages, and all settlements would wait for it.
        session.intake.awaitsReplies ? nil : Backlog(waiting: try session.count(of: queue))
      }
    }
  }

  private var queue: String {
    get throws(QueueError) {
      guard let queue = client.url.queue else {
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
