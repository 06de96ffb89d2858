internal import Dispatch
internal import Queueing
internal import Supporting
internal import Synchronization

/// The way to one queue of a broker: a session on a thread of its own, and another when that is broken.
final class RabbitMQLink: Sendable {
  let url: RabbitMQURL
  private let line: Mutex<RabbitMQLine>
  private let thread = DispatchQueue(label: "push-enricher.rabbitmq")
  private let publications = Batch<[Message]>()
  private let settlements = Batch<RabbitMQReceipt>()

  /// Connects. Blocks.
  /// - Parameter certificateFile: a PEM file with certificates to trust beside the system's.
  /// - Throws: `QueueError.refused` for what will never work, `.unavailable` for what may later.
  init(_ url: RabbitMQURL, certificateFile: String?) throws(QueueError) {
    self.url = url
    line = Mutex(try RabbitMQLine(url, certificateFile: certificateFile))
    breatheLater()
  }

  /// Does something with the session, or with a new one.
  func use<Value: Sendable>(
    _ body: @escaping @Sendable (inout AMQPSession) throws(QueueError) -> Value
  ) async throws(QueueError) -> Value {
    try await thread.run { () throws(QueueError) in
      try self.line.withLock { (line) throws(QueueError) in try line.use(body) }
    }
  }

  /// Publishes messages, together with what else is waiting to be.
  func publish(_ messages: [Message]) async throws(QueueError) {
    let target = url.target
    try await publications.submit(messages, on: thread) { batch in
      self.answers(for: batch) { (session) throws(QueueError) in
        var rest = try session.publish(batch.flatMap { $0 }, to: target)[...]
        return batch.map { messages in
          defer { rest = rest.dropFirst(messages.count) }
          return rest.prefix(messages.count).compactMap { $0 }.first
        }
      }
    }
  }

  /// Acknowledges a delivery, together with what else is waiting to be.
  /// - Throws: `QueueError.leaseLost` when it is not out any more.
  func acknowledge(_ delivery: Delivery) async throws(QueueError) {
    guard let receipt = RabbitMQReceipt(delivery.receipt) else { throw .leaseLost(id: delivery.message.id) }
    do {
      try await settlements.submit(receipt, on: thread) { receipts in
        self.answers(for: receipts) { (session) throws(QueueError) in
          var tags: Set<UInt64> = []
          // A number that is acknowledged twice ends the channel.
          let out = receipts.map { session.isOut($0) && tags.insert($0.tag).inserted }
          try session.acknowledge(tags)
          return out.map { $0 ? nil : .leaseLost(id: "") }
        }
      }
    } catch {
      guard case .leaseLost = error else { throw error }
      throw .leaseLost(id: delivery.message.id)
    }
  }

  /// - Returns: what became of each item: the same of all, where nothing can be done.
  private func answers<Item>(
    for batch: [Item], _ body: @Sendable (inout AMQPSession) throws(QueueError) -> [QueueError?]
  ) -> [QueueError?] {
    do throws(QueueError) {
      return try line.withLock { (line) throws(QueueError) in try line.use(body) }
    } catch {
      return Array(repeating: error, count: batch.count)
    }
  }

  /// Heartbeats, while nothing else is done.
  private func breatheLater() {
    thread.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
      guard let self else { return }
      self.line.withLock { $0.breathe() }
      self.breatheLater()
    }
  }
}
