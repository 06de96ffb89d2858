#if RabbitMQ
  import CRabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  @Suite("RabbitMQ: subscriptions", .timeLimit(.minutes(5)))
  struct SubscriptionTests {
    @Test(
      "many messages of a long queue come through a subscription, in order, and no more than asked for",
      arguments: ["quorum", "classic"])
    func many(queueType: String) async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=\(queueType)"
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.publish(0..<90)
      for start in [0, 5, 10] {
        let deliveries = try await queue.receive(5, waitingUpTo: .zero) ?? []
        #expect(deliveries.map(\.message) == (start..<start + 5).map { message($0) })
        #expect(deliveries.map(\.attempt) == [1, 1, 1, 1, 1])
        for delivery in deliveries.reversed() { try await queue.settle(delivery, publishing: []) }
      }
      // The first messages come one by one, and show that messages can be taken at all.
      #expect(try await queue.subscriptionCount == 2)
      // Messages that were never handed out belong to nobody.
      let rest = try await other.receive(1_000, waitingUpTo: .zero) ?? []
      #expect(rest.map(\.message) == (15..<90).map { message($0) })
      #expect(rest.allSatisfy { $0.attempt == 1 })
      #expect(try await queue.isEmpty)
    }

    @Test("few messages, or most of a queue, come one by one, so that others can take some meanwhile")
    func few() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      try await queue.publish(0..<45)
      #expect(try await queue.ids(5).count == 5)
      #expect(try await queue.ids(1) == ["m5"])
      #expect(try await queue.ids(5) == ["m6", "m7", "m8", "m9", "m10"])
      #expect(try await queue.subscriptionCount == 0)
    }

    @Test(
      "a subscription does not wait forever for messages that others took first",
      arguments: ["quorum", "classic"])
    func others(queueType: String) async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=\(queueType)"
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.publish(0..<2)
      let ids = try await queue.client.use { (session) throws(QueueError) in
        try session.taking.subscribe(for: 5, waits: true)
        return try session.taking.take(5, waits: true).map(\.message.id)
      }
      #expect(ids == ["m0", "m1"])
      try await queue.publish(2..<3)
      #expect(try await queue.receive(5, waitingUpTo: .zero)?.map(\.attempt) == [1])
      #expect(try await other.ids() == [])
    }

    @Test("an auto-delete queue is never subscribed to, unless another client created it")
    func autoDelete() async throws {
      let server = try await RabbitMQServer.shared
      let maker = try server.open(server.newURL())
      for isAutoDelete in [true, false] {
        let url = server.newURL()
        try await maker.declare(url, type: "classic", autoDelete: isAutoDelete)
        let queue = try server.open(url)
        try await queue.publish(0..<60)
        #expect(try await queue.ids(5) == (0..<5).map { "m\($0)" })
        #expect(try await queue.ids(5) == (5..<10).map { "m\($0)" })
        #expect(try await queue.subscriptionCount == (isAutoDelete ? 0 : 1))
        #expect(try await queue.backlog?.waiting == 50)
      }
    }

    @Test("a stream is refused with an error, and nothing is taken from it")
    func stream() async throws {
      let server = try await RabbitMQServer.shared
      let (maker, url) = (try server.open(server.newURL()), server.newURL())
      try await maker.declare(url, type: "stream")
      let queue = try server.open(url)
      try await queue.publish(0..<60)
      let failure = await failure { () async throws(QueueError) in
        _ = try await queue.receive(5, waitingUpTo: longEnough)
      }
      let name = try #require(queue.client.url.queue)
      #expect(
        failure
          == .refused(
            "\(server.name) refuses: basic.get not supported by stream queues queue '\(name)' in vhost '/'"))
    }

    @Test("a queue that is deleted meanwhile is created again")
    func deleted() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.client.use { (session) throws(QueueError) in
        try session.taking.beginSubscription(for: 5)
      }
      try await other.delete()
      let failure = await failure { () async throws(QueueError) in
        try await queue.client.use { (session) throws(QueueError) in
          if let event = try session.replies.next(until: .now + longEnough) {
            throw session.replies.unexpected(event)
          }
        }
      }
      #expect(
        failure
          == .unavailable("\(server.name) has ended a subscription: the queue is gone, or has moved"))
      try await queue.publish([message(1)])
      #expect(try await queue.ids() == ["m1"])
    }
  }

  extension RabbitMQQueue {
    fileprivate var subscriptionCount: Int {
      get async throws {
        try await client.use { (session) throws(QueueError) in session.taking.subscriptionCount }
      }
    }
  }
#endif
