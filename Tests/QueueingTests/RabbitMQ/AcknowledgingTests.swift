#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// What is acknowledged together with others takes none with it that was not named.
  @Suite("RabbitMQ: acknowledging", .timeLimit(.minutes(2)))
  struct AcknowledgingTests {
    @Test(
      "what is named is gone, and all else goes back to its place",
      arguments: ["quorum", "classic"],
      [[0], [0, 1, 2], [7], [1, 3], [0, 1, 4, 6], [6, 5, 1, 0], Array(0..<8)])
    func several(queueType: String, settled: [Int]) async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open("\(server.newURL())&queue-type=\(queueType)")
      try await queue.publish(0..<10)
      let deliveries = try #require(try await queue.receive(8, waitingUpTo: longEnough))
      #expect(deliveries.count == 8)
      try await queue.acknowledge(settled.map { deliveries[$0] })
      // Giving back what the broker does not have out would end the connection.
      let rest = deliveries.indices.filter { !settled.contains($0) }
      try await queue.release(rest.map { deliveries[$0] })
      #expect(try await queue.contents() == (rest + [8, 9]).map { "m\($0)" })
    }

    @Test("not what went back before, though it is older")
    func givenBack() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      try await queue.publish(0..<6)
      let deliveries = try #require(try await queue.receive(6, waitingUpTo: longEnough))
      try await queue.release([deliveries[1], deliveries[3]])
      try await queue.acknowledge([deliveries[0], deliveries[2], deliveries[5]])
      try await queue.release([deliveries[4]])
      #expect(try await queue.contents().sorted() == ["m1", "m3", "m4"])
    }

    @Test("not what has arrived, and was not handed out")
    func arrived() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      try await queue.publish(0..<6)
      let name = try #require(queue.client.url.queue)
      let ids = try await queue.client.use { (session) throws(QueueError) in
        try session.subscribe(for: 5, of: name, waits: true)
        let first = try session.take(2, from: name, waits: true)
        try session.acknowledge(Set(first.map(\.tag)))
        let others = try session.take(9, from: name, waits: true)
        try session.giveBack(others.map(\.tag), to: name)
        return others.map(\.message.id)
      }
      #expect(ids == ["m2", "m3", "m4"])
      #expect(try await queue.contents() == ["m2", "m3", "m4", "m5"])
    }

    @Test("of many that are settled at once, each is told whether it was still on lease")
    func atOnce() async throws {
      let server = try await RabbitMQServer.shared
      let (queue, target) = (try server.open(server.newURL()), try server.open(server.newURL()))
      try await queue.publish(0..<40)
      let stale = try #require(try await queue.receive(20, waitingUpTo: longEnough))
      try await queue.cut()
      var fresh: [Delivery] = []
      #expect(
        try await untilReachable { () async throws(QueueError) in
          while fresh.count < 40 { fresh += try await queue.receive(40, waitingUpTo: longEnough) ?? [] }
        } == nil)
      let failures = await withTaskGroup(of: (String, QueueError?).self) { group in
        for delivery in stale + fresh {
          group.addTask {
            let publication = Publication(delivery.message, into: target)
            return (
              delivery.receipt,
              await failure { () async throws(QueueError) in
                try await queue.settle(delivery, publishing: [publication])
              }
            )
          }
        }
        return await group.reduce(into: [:]) { $0[$1.0] = .some($1.1) }
      }
      for delivery in stale { #expect(failures[delivery.receipt] == .leaseLost(id: delivery.message.id)) }
      for delivery in fresh { #expect(failures[delivery.receipt] == .some(nil)) }
      #expect(try await queue.isEmpty)
      #expect(try await target.contents().sorted() == (0..<40).map { "m\($0)" }.sorted())
    }
  }

  extension RabbitMQQueue {
    fileprivate func acknowledge(_ deliveries: [Delivery]) async throws {
      let tags = Set(deliveries.compactMap { RabbitMQReceipt($0.receipt)?.tag })
      try await client.use { (session) throws(QueueError) in try session.acknowledge(tags) }
    }
  }
#endif
