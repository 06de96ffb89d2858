/// A queue in an SQLite file, which processes on one machine may share. A lease lasts as long as
/// its process (`LeaseOwner`). A settlement that publishes into queues of the same file is one
/// transaction.
package struct SQLiteQueue: PostponingSource, Sink {
  let store: SQLiteStore
  let name: String
  private let polling = Polling()

  init(store: SQLiteStore, name: String) { (self.store, self.name) = (store, name) }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    try await polling.poll(for: duration) { () async throws(QueueError) in
      try await store.write { [self] (table) throws(QueueError) in try table.lease(limit, of: name) }
    }
  }

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    try await store.write { (table) throws(QueueError) in
      for delivery in deliveries { try table.release(delivery.receipt) }
    }
  }

  package func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    try await store.write { [self] (table) throws(QueueError) in
      for message in messages { try table.insert(message, into: name) }
    }
    return messages.map { _ in .sent }
  }

  @discardableResult
  package func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    let (before, together) = publications.split { sibling($0.target) != nil }
    if !before.isEmpty {
      let isOurs = try await store.write { (table) throws(QueueError) in try table.holds(delivery.receipt) }
      guard isOurs else { throw .leaseLost(id: delivery.message.id) }
      let result = try await before.publish()
      if result != .sent { return result }
    }
    let here = together.compactMap { item in sibling(item.target).map { (item.message, $0.name) } }
    let isOurs = try await together.attempt { () async throws(QueueError) in
      try await store.write { (table) throws(QueueError) in
        guard try table.remove(delivery.receipt) else { return false }
        for (message, name) in here { try table.insert(message, into: name) }
        return true
      }
    }
    guard isOurs else { throw .leaseLost(id: delivery.message.id) }
    return .sent
  }

  package func postpone(_ delivery: Delivery, until due: Int64, line: String?) async throws(QueueError) {
    let isOurs = try await store.write { (table) throws(QueueError) in
      try table.postpone(delivery.receipt, until: due, line: line ?? "")
    }
    guard isOurs else { throw .leaseLost(id: delivery.message.id) }
  }

  package func due(before deliveries: [Delivery]) async throws(QueueError) -> [Int64?] {
    try await store.write { [self] (table) throws(QueueError) in
      try deliveries.map { (delivery) throws(QueueError) in
        guard let line = delivery.message.line else { return nil }
        return try table.due(before: delivery.receipt, line: line, in: name)
      }
    }
  }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    try await store.write { [self] (table) throws(QueueError) in try table.list(limit, of: name) }
  }

  package var isEmpty: Bool {
    get async throws(QueueError) {
      try await store.write { [self] (table) throws(QueueError) in try table.isEmpty(name) }
    }
  }

  package var backlog: Backlog? {
    get async throws(QueueError) {
      try await store.write { [self] (table) throws(QueueError) in try table.backlog(of: name) }
    }
  }

  /// Returns `sink` if it is a queue in the same file.
  private func sibling(_ sink: any Sink) -> SQLiteQueue? {
    (sink as? SQLiteQueue).flatMap { $0.store === store ? $0 : nil }
  }
}
