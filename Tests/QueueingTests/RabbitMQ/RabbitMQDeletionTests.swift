#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// A queue is deleted while its messages are on lease.
  @Suite("RabbitMQ: deleted queues", .timeLimit(.minutes(5)))
  struct RabbitMQDeletionTests {
    @Test(
      "a message that goes to the end of a deleted queue creates it again, and released messages are there, too",
      arguments: ["quorum", "classic"])
    func deletedBeforeRequeuing(type: String) async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=\(type)"
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.publish(0..<2)
      let deliveries = try #require(try await queue.receive(2, waitingUpTo: longEnough))
      try await other.delete()
      let loss = try await untilReachable { () async throws(QueueError) in
        try await queue.requeue(deliveries[0])
      }
      #expect(loss == nil)
      try await queue.release([deliveries[1]])
      #expect(try await queue.contents() == ["m0", "m1"])
    }

    @Test("if its virtual host is deleted, a message on lease is published once, or goes back")
    func deletedVirtualHost() async throws {
      let server = try await RabbitMQServer.shared
      let host = "v\(UInt64.random(in: 0...UInt64.max))"
      func make() async throws {
        try await server.control(["add_vhost", host])
        try await server.control(["set_permissions", "-p", host, "guest", ".*", ".*", ".*"])
      }
      try await make()
      let url = server.newURL().replacing("/?", with: "/\(host)?")
      let queue = try server.open(url)
      // With many connections, RabbitMQ tells some of them that the host is down instead.
      let others = try (0..<20).map { _ in try server.open(url) }
      defer { withExtendedLifetime(others) {} }
      let target = try server.open(server.newURL())
      try await queue.publish(0..<3)
      let deliveries = try #require(try await queue.receive(3, waitingUpTo: longEnough))
      try await server.control(["delete_vhost", host])
      try await make()
      // Another client creates the queue again.
      _ = try server.open(url)
      let losses = [
        try await untilReachable { () async throws(QueueError) in
          try await queue.settle(
            deliveries[0], publishing: [Publication(deliveries[0].message, into: target)])
        },
        try await untilReachable { () async throws(QueueError) in
          try await queue.release([deliveries[1]])
        },
        try await untilReachable { () async throws(QueueError) in try await queue.requeue(deliveries[2]) },
      ]
      #expect(losses == [nil, nil, nil])
      #expect(try await target.contents() == ["m0"])
      #expect(try await queue.contents() == ["m1", "m2"])
      try await server.control(["delete_vhost", host])
    }

    @Test("messages of a subscription that the broker ended, because its queue was deleted, can be settled")
    func deletedWhileSubscribed() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.publish([1])
      let delivery = try await queue.next()
      try await queue.client.use { (session) throws(QueueError) in
        try session.taking.beginSubscription(for: 1)
      }
      try await other.delete()
      let loss = try await untilReachable { () async throws(QueueError) in
        _ = try await queue.receive(1, waitingUpTo: .zero)
        try await queue.settle(delivery, publishing: [])
      }
      #expect(loss == nil)
    }

    @Test("a lease that was lost with its connection stays lost if the queue is deleted later")
    func deletedAfterwards() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.publish([1])
      let stale = try await queue.next()
      try await queue.cut()
      let fresh = try await other.next()
      try await server.open(url).delete()
      let loss = try await untilReachable { () async throws(QueueError) in
        try await queue.settle(stale, publishing: [])
      }
      #expect(loss == .leaseLost(id: "m1"))
      try await other.settle(fresh, publishing: [])
    }
  }
#endif
