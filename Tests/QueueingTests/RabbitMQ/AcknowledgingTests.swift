#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// What is acknowledged is gone, also when the connection ends: only then does RabbitMQ show what it still
  /// has out. And nothing else is: what is acknowledged together with others takes none with it.
  @Suite("RabbitMQ: acknowledging", .timeLimit(.minutes(5)))
  struct AcknowledgingTests {
    @Test(
      "what is named is gone, and all else is handed out again",
      arguments: ["quorum", "classic"],
      [[0], [0, 1, 2], [0, 1, 2, 3, 4, 5], [1, 3, 7], [0, 1, 4, 6], Set(0..<8)])
    func several(queueType: String, settled: Set<Int>) async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=\(queueType)"
      let queue = try server.open(url)
      try await queue.publish(0..<60)
      // The first ones come one by one, the others by a subscription.
      var deliveries = try await queue.receive(3, waitingUpTo: .zero) ?? []
      deliveries += try await queue.receive(5, waitingUpTo: .zero) ?? []
      try #require(deliveries.map(\.message.id) == (0..<8).map { "m\($0)" })
      try await queue.acknowledge(settled.map { deliveries[$0] })
      let next = try await queue.next()
      #expect(
        try await queue.end(with: next, at: server.open(url)) == Set(0..<60).subtracting(settled).ids)
    }

    @Test("what went back before is not, though it is older")
    func givenBack() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let queue = try server.open(url)
      try await queue.publish(0..<6)
      let deliveries = try await queue.receive(6, waitingUpTo: .zero) ?? []
      try #require(deliveries.count == 6)
      try await queue.release([deliveries[1], deliveries[3]])
      try await queue.acknowledge([deliveries[0], deliveries[2], deliveries[5]])
      #expect(try await queue.end(with: deliveries[4], at: server.open(url)) == Set([1, 3, 4]).ids)
    }

    @Test("what has arrived, and was not handed out, is not")
    func arrived() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let queue = try server.open(url)
      try await queue.publish(0..<6)
      try await queue.client.use { (session) throws(QueueError) in
        try session.taking.subscribe(for: 5, waits: true)
        try session.taking.acknowledge(Set(try session.taking.take(2, waits: true).map(\.tag)))
      }
      let next = try await queue.next()
      #expect(next.message.id == "m2")
      #expect(try await queue.end(with: next, at: server.open(url)) == Set(2..<6).ids)
    }

    @Test("what is published again with its count takes no older one with it")
    func uncounted() async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=classic"
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.publish(0..<2)
      let older = try await queue.next()
      _ = try await other.next()
      try await other.cut()
      // Republished at once, and its original acknowledged.
      let again = try await queue.next()
      #expect(again.message.id == "m1")
      #expect(again.attempt == 2)
      #expect(try await queue.end(with: older, at: server.open(url)) == Set(0..<2).ids)
    }

    @Test("of many that are settled at once, each is told whether it was still on lease")
    func atOnce() async throws {
      let server = try await RabbitMQServer.shared
      let (url, targetURL) = (server.newURL(), server.newURL())
      let (queue, target) = (try server.open(url), try server.open(targetURL))
      try await queue.publish(0..<41)
      let stale = try await queue.receive(20, waitingUpTo: .zero) ?? []
      try #require(stale.count == 20)
      try await queue.cut()
      var fresh: [Delivery] = []
      let isBack = try await untilReachable { () async throws(QueueError) in
        while fresh.count < 40 {
          fresh += try await queue.receive(40 - fresh.count, waitingUpTo: longEnough) ?? []
        }
      }
      #expect(isBack == nil)
      // Twice, and told so once.
      let twice = try #require(fresh.first)
      let failures = await withTaskGroup(of: QueueError?.self) { group in
        for delivery in stale + fresh + [twice] {
          group.addTask {
            await failure { () async throws(QueueError) in
              try await queue.settle(delivery, publishing: [Publication(delivery.message, into: target)])
            }
          }
        }
        return await group.reduce(into: [QueueError]()) { $0 += [$1].compactMap(\.self) }
      }
      let expected = (stale + [twice]).map { QueueError.leaseLost(id: $0.message.id) }
      #expect(failures.map { "\($0)" }.sorted() == expected.map { "\($0)" }.sorted())
      let settled = Set(fresh.map(\.message.id))
      #expect(Set(try await target.contents()) == settled)
      let last = try await queue.next()
      #expect(try await queue.end(with: last, at: server.open(url)) == Set(0..<41).ids.subtracting(settled))
    }
  }

  extension RabbitMQQueue {
    fileprivate func acknowledge(_ deliveries: [Delivery]) async throws {
      let tags = Set(deliveries.compactMap { RabbitMQReceipt($0.receipt)?.tag })
      try await client.use { (session) throws(QueueError) in try session.taking.acknowledge(tags) }
    }

    /// Breaks its connection, and waits until what was out there is back: RabbitMQ takes all of it back at
    /// once.
    /// - Parameter delivery: one that is out.
    /// - Returns: the ids of all that is in the queue then.
    fileprivate func end(with delivery: Delivery, at other: RabbitMQQueue) async throws -> Set<String> {
      try await cut()
      #expect(try await eventually { try await other.contents().contains(delivery.message.id) })
      // Again: what came back while that looked at the queue may have had no place in it.
      return Set(try await other.contents())
    }
  }

  extension Set<Int> {
    /// Of those messages.
    fileprivate var ids: Set<String> { Set<String>(map { "m\($0)" }) }
  }
#endif
