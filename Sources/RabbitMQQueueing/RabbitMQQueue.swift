internal import Queueing

/// A RabbitMQ queue, classic or quorum, that workers on many machines may share.
///
/// A lease lasts as long as the connection that handed the message out. When the connection breaks,
/// the broker hands the message to another consumer at once. If the queue is deleted, deliveries
/// can still be settled, and released ones go into the recreated queue. If another client recreates
/// it before this is noticed, released messages are lost: the broker silently accepts them for the
/// old queue. Giving a message back counts like a crash: only quorum queues since RabbitMQ 4.3 tell
/// the two apart.
struct RabbitMQQueue: Source, Sink {
  let client: RabbitMQClient
  /// Publishes into the queue itself, even if the URL names an exchange. Its own connection, made
  /// at first use, keeps leases safe: an alarm blocks a connection that publishes, a refusal ends
  /// it.
  let requeuer: RabbitMQClient
  private let polling = Polling()

  /// Connects, which blocks.
  init(_ url: RabbitMQURL, in queues: Queues) throws(QueueError) {
    client = try RabbitMQClient(url, in: queues)
    var ownURL = url
    ownURL.target = .queue(url.queue ?? "")
    requeuer = try RabbitMQClient(ownURL, in: queues, connects: false)
  }

  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    try requireQueue()
    // A caller that does not wait sorts or inspects the queue.
    let sorts = duration <= .zero
    return try await polling.poll(for: duration) { () async throws(QueueError) in
      let prefetch = sorts ? nil : client.prefetch
      return try await client.use { (session) throws(QueueError) in
        try session.receive(limit, sorts: sorts, upTo: prefetch)
      }
    }
  }

  func release(_ deliveries: [Delivery]) async throws(QueueError) {
    try requireQueue()
    let orphans = try await client.use { (session) throws(QueueError) in
      try session.release(deliveries.compactMap { RabbitMQReceipt($0.receipt) })
    }
    // Their queue was deleted. It is recreated for them.
    for delivery in deliveries where RabbitMQReceipt(delivery.receipt).map(orphans.contains) == true {
      try await republish(delivery).orThrow()
    }
  }

  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    try await client.publish(messages)
  }

  @discardableResult
  func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    try await client.check(delivery)
    let result = try await publications.publish()
    if result == .sent { try await client.acknowledge(delivery) }
    return result
  }

  func requeue(_ delivery: Delivery) async throws(QueueError) {
    try requireQueue()
    let result = try await republish(delivery)
    // Its headers leave no room for an id. It keeps its place, and this hand-out counts.
    if case .rejected = result { return try await release([delivery]) }
    try result.orThrow()
  }

  private func republish(_ delivery: Delivery) async throws(QueueError) -> SendResult {
    try await client.check(delivery)
    // Throws if the queue was deleted. Recreating it here would make other deliveries seem lost.
    _ = try await count()
    // The worker may not want another message in its place, as while its store fails.
    try await client.use { (session) throws(QueueError) in try session.taking.endSubscriptions() }
    let results = try await requeuer.publish([delivery.requeuedMessage.withoutExpiration])
    if let failed = results.first(where: { $0 != .sent }) { return failed }
    try await client.acknowledge(delivery)
    return .sent
  }

  func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    try requireQueue()
    return try await client.use { (session) throws(QueueError) in
      var taken: [AMQPDelivery] = []
      // Ignores what is published meanwhile: publishers may be as fast as this loop.
      let limit = min(limit, try session.taking.certainCount() + session.replies.inbox.arrived.count)
      while case let more = try session.taking.take(limit - taken.count, waits: true), !more.isEmpty {
        taken += more
      }
      if !taken.isEmpty { try session.taking.giveBack(taken.map(\.tag)) }
      return taken.map(\.message)
    }
  }

  /// Whether the queue is empty, not counting messages that others have.
  var isEmpty: Bool {
    get async throws(QueueError) {
      try requireQueue()
      return try await client.use { (session) throws(QueueError) in
        // A message that is on its way to a subscription would not be counted.
        try session.taking.endSubscriptions()
        try session.taking.hearAll(waits: false)
        let inbox = session.replies.inbox
        guard inbox.unsettled.isEmpty, !inbox.awaitsReplies else { return false }
        return try session.taking.isEmptyForGood()
      }
    }
  }

  var backlog: Backlog? {
    get async throws(QueueError) {
      try requireQueue()
      return try await count().map { Backlog(waiting: $0) }
    }
  }

  /// Returns nil if the reply would arrive after late messages: all settlements would wait for it.
  private func count() async throws(QueueError) -> Int? {
    try await client.use { (session) throws(QueueError) -> Int? in
      session.replies.inbox.awaitsReplies ? nil : try session.taking.count()
    }
  }

  private func requireQueue() throws(QueueError) {
    guard client.url.queue == nil else { return }
    throw .refused("nothing can be taken from an exchange: name a queue with queue=NAME")
  }
}
