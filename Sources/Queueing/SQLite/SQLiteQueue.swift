internal import Supporting

/// A queue in an SQLite file, which several processes of one machine may share. Needs no server.
///
/// Leases are stored as wall-clock times, so they end after a crash, too. All queues of a file are one store:
/// a settlement that publishes into another of them is one transaction.
package struct SQLiteQueue: Queue {
  let store: SQLiteStore
  let name: String
  let leaseDuration: Duration

  package init(store: SQLiteStore, name: String, leaseDuration: Duration) {
    self.store = store
    self.name = name
    self.leaseDuration = leaseDuration
  }

  package func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    try await Polling.poll(for: duration) { () async throws(QueueError) in
      try await store.write { [self] (table) throws(QueueError) in
        let now = WallClock.milliseconds
        return try table.lease(limit, of: name, from: now, to: leaseEnd(from: now))
      }
    }
  }

  package func extend(_ deliveries: [Delivery]) async throws(QueueError) {
    try await store.write { [self] (table) throws(QueueError) in
      let end = leaseEnd(from: WallClock.milliseconds)
      for delivery in deliveries { _ = try table.extend(delivery.receipt, to: end) }
    }
  }

  package func release(_ deliveries: [Delivery]) async throws(QueueError) {
    try await store.write { (table) throws(QueueError) in
      for delivery in deliveries { try table.release(delivery.receipt) }
    }
  }

  package func publish(_ messages: [Message]) async throws(QueueError) {
    try await store.write { [self] (table) throws(QueueError) in
      for message in messages { try table.insert(message, into: name) }
    }
  }

  package func settle(_ delivery: Delivery, publishing publications: [Publication]) async throws(QueueError) {
    let (before, together) = publications.split { sibling($0.target) != nil }
    if !before.isEmpty {
      try await renew(delivery)
      try await before.publish()
    }
    let here = together.compactMap { publication in
      sibling(publication.target).map { (publication.message, $0.name) }
    }
    let isOurs = try await together.attempt { () async throws(QueueError) in
      try await store.write { (table) throws(QueueError) in
        guard try table.remove(delivery.receipt) else { return false }
        for (message, name) in here { try table.insert(message, into: name) }
        return true
      }
    }
    guard isOurs else { throw .leaseLost(id: delivery.message.id) }
  }

  package func browse(_ limit: Int) async throws(QueueError) -> [Message] {
    try await store.write { [self] (table) throws(QueueError) in try table.list(limit, of: name) }
  }

  package var isEmpty: Bool {
    get async throws(QueueError) {
      try await store.write { [self] (table) throws(QueueError) in try table.isEmpty(name) }
    }
  }

  /// Without the age: messages have no time.
  package var backlog: Backlog? {
    get async throws(QueueError) {
      try await store.write { [self] (table) throws(QueueError) in
        let (all, onLease) = try table.count(of: name, at: WallClock.milliseconds)
        return Backlog(waiting: all - onLease, onLease: onLease)
      }
    }
  }

  /// Starts the lease anew, for the time that publishing elsewhere takes.
  private func renew(_ delivery: Delivery) async throws(QueueError) {
    let isOurs = try await store.write { [self] (table) throws(QueueError) in
      try table.extend(delivery.receipt, to: leaseEnd(from: WallClock.milliseconds))
    }
    guard isOurs else { throw .leaseLost(id: delivery.message.id) }
  }

  /// `queue`, if it is in the same file.
  private func sibling(_ queue: any Queue) -> SQLiteQueue? {
    guard let queue = queue as? SQLiteQueue, queue.store === store else { return nil }
    return queue
  }

  private func leaseEnd(from now: Int64) -> Int64 { now + Int64(leaseDuration.milliseconds) }
}
