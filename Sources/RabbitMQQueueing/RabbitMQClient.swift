internal import Dispatch
internal import Queueing
internal import Supporting
internal import Synchronization

/// Access to one queue of a broker: a session on a thread of its own, and a new one when that is broken.
final class RabbitMQClient: Sendable {
  /// Something to publish, check or acknowledge, whose caller waits for the result.
  private struct Job<Item: Sendable, Value: Sendable>: Sendable {
    let item: Item
    let continuation: CheckedContinuation<Result<Value, QueueError>, Never>
  }

  private typealias Lease = (receipt: RabbitMQReceipt, id: String)

  let url: RabbitMQURL
  private let session: Mutex<ReconnectingSession>
  private let thread: DispatchQueue
  private let publications: Coalescer<Job<[Message], [SendResult]>>
  private let checks: Coalescer<Job<Lease, Void>>
  private let settlements: Coalescer<Job<Lease, Void>>
  private let hasBegun = Atomic(false)

  /// - Parameters:
  ///   - certificateFile: a PEM file with certificates to trust beside the system's.
  ///   - connects: whether to connect now, which blocks; otherwise at first use.
  ///   - tell: as that of `RabbitMQQueue`.
  /// - Throws: `QueueError.refused` for what will never work, `.unavailable` for what may later.
  init(
    _ url: RabbitMQURL, certificateFile: String?, connects: Bool = true,
    tell: @escaping @Sendable (String) -> Void
  ) throws(QueueError) {
    self.url = url
    session = Mutex(
      try ReconnectingSession(url, certificateFile: certificateFile, connects: connects, tell: tell))
    thread = DispatchQueue(label: "push-enricher.rabbitmq")
    publications = Coalescer(on: thread)
    checks = Coalescer(on: thread)
    settlements = Coalescer(on: thread)
    if connects { beginServicing() }
  }

  /// Does something with the session, or with a new one.
  func use<Value: Sendable>(
    _ body: @escaping @Sendable (inout AMQPSession) throws(QueueError) -> Value
  ) async throws(QueueError) -> Value {
    beginServicing()
    return try await thread.run { () throws(QueueError) in
      try self.session.withLock { (session) throws(QueueError) in try session.use(body) }
    }
  }

  /// Publishes messages, together with others that are waiting to be published.
  func publish(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    let target = url.target
    return try await submit(messages, to: publications) { (session, batch) throws(QueueError) in
      var rest = try session.publish(batch.flatMap { $0 }, to: target)[...]
      return batch.map { messages in
        defer { rest = rest.dropFirst(messages.count) }
        return .success(Array(rest.prefix(messages.count)))
      }
    }
  }

  /// Makes sure that a delivery is still on lease, together with others that are waiting to be checked: each
  /// for itself would cost a look at the socket.
  /// - Throws: `QueueError.leaseLost` for one that is not out on this session any more, unless it is because
  ///   its queue was deleted; `.unavailable` for all that were checked when the session broke.
  func check(_ delivery: Delivery) async throws(QueueError) {
    try await submit(lease(of: delivery), to: checks) { (session, batch) throws(QueueError) in
      try session.serviceConnection()
      return batch.map { session.holds($0.receipt) ? .success(()) : .failure(.leaseLost(id: $0.id)) }
    }
  }

  /// Acknowledges a delivery, together with others that are waiting to be acknowledged. One whose queue was
  /// deleted needs no more than to be forgotten.
  /// - Throws: `QueueError.leaseLost` when it is not out on this session any more.
  func acknowledge(_ delivery: Delivery) async throws(QueueError) {
    try await submit(lease(of: delivery), to: settlements) { (session, batch) throws(QueueError) in
      var held: Set<RabbitMQReceipt> = []
      let results = batch.map { (receipt, id) -> Result<Void, QueueError> in
        // Acknowledging a tag twice ends the channel.
        session.holds(receipt) && held.insert(receipt).inserted ? .success(()) : .failure(.leaseLost(id: id))
      }
      try session.acknowledge(Set(held.subtracting(session.orphans).map(\.tag)))
      session.orphans.subtract(held)
      return results
    }
  }

  private func lease(of delivery: Delivery) throws(QueueError) -> Lease {
    let id = delivery.message.id
    guard let receipt = RabbitMQReceipt(delivery.receipt) else { throw .leaseLost(id: id) }
    return (receipt, id)
  }

  /// - Parameter body: returns one result per item. What it throws is the result of all of them.
  private func submit<Item, Value>(
    _ item: Item, to coalescer: Coalescer<Job<Item, Value>>,
    _ body:
      @escaping @Sendable (inout AMQPSession, [Item]) throws(QueueError) -> [Result<
        Value, QueueError
      >]
  ) async throws(QueueError) -> Value {
    beginServicing()
    let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
      coalescer.submit(Job(item: item, continuation: continuation)) { jobs in
        let items = jobs.map(\.item)
        let results: [Result<Value, QueueError>]
        do throws(QueueError) {
          results = try self.session.withLock { (session) throws(QueueError) in
            try session.use { (session) throws(QueueError) in try body(&session, items) }
          }
        } catch {
          results = items.map { _ in .failure(error) }
        }
        for (job, result) in zip(jobs, results) { job.continuation.resume(returning: result) }
      }
    }
    return try result.get()
  }

  /// Whether heartbeats are sent: one that is not used yet has no connection, and needs no time.
  var isServiced: Bool { hasBegun.load(ordering: .relaxed) }

  private func beginServicing() {
    if !hasBegun.exchange(true, ordering: .relaxed) { serviceLater() }
  }

  /// Sends heartbeats while nothing else is done.
  private func serviceLater() {
    thread.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      guard let self else { return }
      self.session.withLock { $0.serviceConnection() }
      self.serviceLater()
    }
  }
}
