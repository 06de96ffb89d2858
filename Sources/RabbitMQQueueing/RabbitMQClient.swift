internal import Dispatch
internal import Queueing
internal import Supporting
internal import Synchronization

/// Access to one queue of a broker. Its session has its own thread, and is replaced when it breaks.
final class RabbitMQClient: Sendable {
  typealias Use<Value> = @Sendable (inout AMQPSession) throws(QueueError) -> Value
  private typealias Answer<Value> = CheckedContinuation<Result<Value, QueueError>, Never>
  private typealias Jobs<Item: Sendable, Value: Sendable> = Coalescer<(item: Item, answer: Answer<Value>)>

  let url: RabbitMQURL
  private let session: Mutex<ReconnectingSession>
  private let thread = DispatchQueue(label: "push-enricher.rabbitmq")
  private let publications: Jobs<[Message], [SendResult]>
  private let checks: Jobs<Delivery, Bool>
  private let settlements: Jobs<Delivery, Bool>
  private let currentPrefetch = Mutex<Prefetch?>(nil)
  /// Whether heartbeats are sent. A client that is not used yet may have no connection.
  let isServiced = Atomic(false)

  /// How many messages may be on lease even if fewer are asked for. Nil to take no more than asked for.
  var prefetch: Prefetch? {
    get { currentPrefetch.withLock { $0 } }
    set { currentPrefetch.withLock { $0 = newValue } }
  }

  /// - Parameter connects: true to connect now, which blocks; false to connect at first use.
  init(_ url: RabbitMQURL, in queues: Queues, connects: Bool = true) throws(QueueError) {
    self.url = url
    session = Mutex(try ReconnectingSession(url, in: queues, connects: connects))
    (publications, checks, settlements) = (.init(on: thread), .init(on: thread), .init(on: thread))
    if connects { beginServicing() }
  }

  func use<Value: Sendable>(_ body: @escaping Use<Value>) async throws(QueueError) -> Value {
    beginServicing()
    return try await thread.run { () throws(QueueError) in try self.perform(body) }
  }

  /// Like `use`, but only with a session that exists already. Returns nil if there is none.
  func useCurrent<Value: Sendable>(_ body: @escaping Use<Value>) async throws(QueueError) -> Value? {
    try await thread.run { () throws(QueueError) in
      try self.session.withLock { (session) throws(QueueError) in try session.useCurrent(body) }
    }
  }

  /// Publishes messages in one batch with others that wait. Returns one result per message.
  func publish(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    let target = url.target
    return try await submit(messages, to: publications) { (session, batch) throws(QueueError) in
      var rest = try session.publishing.send(batch.flatMap { $0 }, to: target)[...]
      return batch.map { messages in
        defer { rest = rest.dropFirst(messages.count) }
        return Array(rest.prefix(messages.count))
      }
    }
  }

  /// Makes sure that a delivery is still on lease, before its result is published. Batched: each look at the
  /// socket costs time.
  /// - Throws: `QueueError.leaseLost` unless it is out on this session, or its queue was deleted.
  func check(_ delivery: Delivery) async throws(QueueError) {
    let isHeld = try await submit(delivery, to: checks) { (session, batch) throws(QueueError) in
      try session.replies.service()
      return batch.map { delivery in
        guard let receipt = session.held(delivery) else { return false }
        session.replies.inbox.publish(receipt.tag)
        return true
      }
    }
    guard isHeld else { throw .leaseLost(id: delivery.message.id) }
  }

  /// Acknowledges a delivery in one batch with others. If its queue was deleted, only forgets it.
  /// - Throws: `QueueError.leaseLost` if it is no longer out on this session.
  func acknowledge(_ delivery: Delivery) async throws(QueueError) {
    let wasHeld = try await submit(delivery, to: settlements) { (session, batch) throws(QueueError) in
      var held: Set<RabbitMQReceipt> = []
      // Acknowledging a tag twice ends the channel.
      let results = batch.map { delivery in session.held(delivery).map { held.insert($0).inserted } ?? false }
      try session.taking.acknowledge(Set(held.subtracting(session.orphans).map(\.tag)))
      session.orphans.subtract(held)
      return results
    }
    guard wasHeld else { throw .leaseLost(id: delivery.message.id) }
  }

  /// - Parameter body: returns one result per item, or throws the result of every item.
  private func submit<Item: Sendable, Value: Sendable>(
    _ item: Item, to waiting: Jobs<Item, Value>,
    _ body: @escaping @Sendable (inout AMQPSession, [Item]) throws(QueueError) -> [Value]
  ) async throws(QueueError) -> Value {
    beginServicing()
    let result = await withCheckedContinuation { answer in
      waiting.submit((item, answer)) { jobs in
        let values = Result { () throws(QueueError) in
          try self.perform { (session) throws(QueueError) in try body(&session, jobs.map(\.item)) }
        }
        for (index, job) in jobs.enumerated() { job.answer.resume(returning: values.map { $0[index] }) }
      }
    }
    return try result.get()
  }

  private func perform<Value: Sendable>(_ body: Use<Value>) throws(QueueError) -> Value {
    try session.withLock { (session) throws(QueueError) in try session.use(body) }
  }

  private func beginServicing() { if !isServiced.exchange(true, ordering: .relaxed) { serviceLater() } }

  /// Services the session every second, so that heartbeats are sent even if the client is idle.
  private func serviceLater() {
    thread.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      guard let self else { return }
      try? self.session.withLock { (session) throws(QueueError) in
        _ = try session.useCurrent { (session) throws(QueueError) in try session.service() }
      }
      self.serviceLater()
    }
  }
}
