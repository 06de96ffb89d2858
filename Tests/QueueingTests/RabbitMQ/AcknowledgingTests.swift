#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// Acknowledged messages are gone for good. RabbitMQ shows which ones it still has when the
  /// connection ends. Acknowledging several messages together must not include any others.
  @Suite("RabbitMQ: acknowledging", .timeLimit(.minutes(5)))
  struct AcknowledgingTests {
    @Test(
      "acknowledged messages are gone, and all others are handed out again",
      arguments: ["quorum", "classic"],
      [[0], [0, 1, 2], [0, 1, 2, 3, 4, 5], [1, 3, 7], [0, 1, 4, 6], Set(0..<8)])
    func several(queueType: String, settled: Set<Int>) async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=\(queueType)"
      let queue = try server.open(url)
      try await queue.publish(0..<60)
      // The first three come one by one, the others through a subscription.
      let deliveries = try await queue.take(3) + queue.take(5)
      try #require(deliveries.map(\.message.id) == (0..<8).map { "m\($0)" })
      try await queue.acknowledge(settled.map { deliveries[$0] })
      let next = try await queue.next()
      #expect(
        try await queue.end(with: next, at: server.open(url)) == Set(0..<60).subtracting(settled).ids)
    }

    @Test("older messages that were released are not acknowledged with newer ones")
    func givenBack() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let queue = try server.open(url)
      try await queue.publish(0..<6)
      let deliveries = try await queue.take(6)
      try await queue.release([deliveries[1], deliveries[3]])
      try await queue.acknowledge([deliveries[0], deliveries[2], deliveries[5]])
      #expect(try await queue.end(with: deliveries[4], at: server.open(url)) == Set([1, 3, 4]).ids)
    }

    @Test("messages that have arrived but were not handed out are not acknowledged")
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

    @Test("republishing a message to count its crash does not acknowledge an older one")
    func uncounted() async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=classic"
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.publish(0..<2)
      let older = try await queue.next()
      _ = try await other.next()
      try await other.cut()
      // It is republished at once, and the original is acknowledged.
      let again = try await queue.next()
      #expect(again.message.id == "m1")
      #expect(again.attempt == 2)
      #expect(try await queue.end(with: older, at: server.open(url)) == Set(0..<2).ids)
    }

    @Test("of many messages that are settled at once, each settlement learns whether its lease was valid")
    func atOnce() async throws {
      let server = try await RabbitMQServer.shared
      let (url, targetURL) = (server.newURL(), server.newURL())
      let (queue, target) = (try server.open(url), try server.open(targetURL))
      try await queue.publish(0..<41)
      let stale = try await queue.take(20)
      try await queue.cut()
      var fresh: [Delivery] = []
      let isBack = try await untilReachable { () async throws(QueueError) in
        while fresh.count < 40 {
          fresh += try await queue.receive(40 - fresh.count, waitingUpTo: longEnough) ?? []
        }
      }
      #expect(isBack == nil)
      // One of them is settled twice, and only one of the two succeeds.
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

    /// Breaks its connection, and waits until its unacknowledged messages are back. RabbitMQ takes
    /// all of them back at once.
    /// - Parameter delivery: one of these messages.
    /// - Returns: the ids of all messages in the queue after that.
    fileprivate func end(with delivery: Delivery, at other: RabbitMQQueue) async throws -> Set<String> {
      try await cut()
      #expect(try await eventually { try await other.contents().contains(delivery.message.id) })
      // Looks again, because messages that came back during the first look may have been missed.
      return Set(try await other.contents())
    }
  }

  extension Set<Int> {
    /// The ids of messages with these numbers.
    fileprivate var ids: Set<String> { Set<String>(map { "m\($0)" }) }
  }
#endif
