#if RabbitMQ
  import CRabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import TestSupport
  import Testing

  /// Features that only RabbitMQ has.
  @Suite("RabbitMQ", .timeLimit(.minutes(5)))
  struct RabbitMQQueueTests {
    @Test("results go into an exchange with its routing key")
    func exchange() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let (queue, other) = (try server.open(url), try server.open(server.newURL()))
      let name = try RabbitMQURL(url, defaultQueue: "x").target.routingKey
      let key = "key-of-\(name)"
      try await queue.bind(to: "amq.direct", key: key)
      let exchange = try server.open("\(server.newURL())&exchange=amq.direct&routing-key=\(key)")
      let delivery = try await { () async throws -> Delivery in
        try await other.publish([Message(id: "a", body: [1])])
        return try #require(try await other.receive(1, waitingUpTo: .zero)?.first)
      }()
      try await other.settle(delivery, publishing: [Publication(delivery.message, into: exchange)])
      #expect(try await queue.browse(2) == [delivery.message])
    }

    @Test("if one queue behind an exchange is full, each try costs the other queues one copy")
    func full() async throws {
      let server = try await RabbitMQServer.shared
      let (fullURL, url) = (server.newURL(), server.newURL())
      let other = try server.open(url)
      try await other.declare(
        fullURL, type: "classic", limit: ("x-max-length", 1), overflow: "reject-publish")
      let full = try server.open(fullURL)
      try await full.publish([Message(id: "first", body: [1])])
      let key = "key-of-\(try #require(full.client.url.queue))"
      for queue in [full, other] { try await queue.bind(to: "amq.direct", key: key) }
      let exchange = try server.open("\(url)&exchange=amq.direct&routing-key=\(key)")
      func expected(_ queue: String) -> QueueError {
        .unavailable(
          "\(queue) at \(server.name) does not accept a message: it is full, or RabbitMQ's log says why")
      }
      for count: UInt64 in 1...2 {
        let failure = await failure { () async throws(QueueError) in
          try await exchange.publish([Message(id: "a", body: [2]), Message(id: "b", body: [3])])
        }
        #expect(failure == expected("a queue behind the exchange amq.direct"))
        #expect(try await exchange.publishedCount == 2 * count)
        // The messages arrive a moment later, because the refusal is faster.
        #expect(try await [other.next().message.id, other.next().message.id] == ["a", "b"])
      }
      // If a message is refused, no queue has it.
      let published = try await full.publishedCount
      #expect(
        await failure { () async throws(QueueError) in try await full.publish([Message(id: "c", body: [4])]) }
          == expected("the queue \(try #require(full.client.url.queue))"))
      #expect(try await full.publishedCount == published + 11)
      #expect(try await full.contents() == ["first"])
    }

    @Test("a result that no queue is bound for stays on lease, whatever its id is", arguments: ["a", ""])
    func unroutable(id: String) async throws {
      let server = try await RabbitMQServer.shared
      let source = try server.open(server.newURL())
      let exchange = try server.open("\(server.newURL())&exchange=amq.direct&routing-key=nobody")
      try await source.publish([Message(id: "a", body: [1])])
      let delivery = try #require(try await source.receive(1, waitingUpTo: .zero)?.first)
      let answer = try await source.settle(
        delivery, publishing: [Publication(Message(id: id, body: [1]), into: exchange)])
      #expect(
        answer
          == .unavailable(
            "no queue is bound to the exchange amq.direct at \(server.name) for the routing key 'nobody': bind one, and it goes on by itself",
            after: nil))
      try await source.release([delivery])
      #expect(try await source.browse(2).map(\.id) == ["a"])
    }

    @Test("an exchange cannot be received from")
    func noQueue() async throws {
      let server = try await RabbitMQServer.shared
      let url = try #require(server.newURL().split(separator: "?").first)
      let exchange = try server.open("\(url)?exchange=amq.fanout")
      let expected = QueueError.refused(
        "nothing can be taken from an exchange: name a queue with queue=NAME")
      #expect(
        await failure { () async throws(QueueError) in _ = try await exchange.receive(1, waitingUpTo: .zero) }
          == expected)
      #expect(await failure { () async throws(QueueError) in _ = try await exchange.browse(1) } == expected)
    }

    @Test("a connection that breaks ends its leases, and the next operation opens a new one")
    func broken() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let (queue, target) = (try server.open(url), try server.open(server.newURL()))
      try await queue.publish([Message(id: "a", body: [1])])
      let stale = try #require(try await queue.receive(1, waitingUpTo: .zero)?.first)
      try await queue.cut()
      let fresh = try #require(try await server.open(url).receive(1, waitingUpTo: .seconds(60))?.first)
      #expect(fresh.message == stale.message)
      #expect(fresh.attempt == 2)
      let failures = try await untilReachable { () async throws(QueueError) in
        try await queue.settle(stale, publishing: [Publication(Message(id: "b", body: [2]), into: target)])
      }
      #expect(failures == .leaseLost(id: "a"))
      #expect(try await target.isEmpty)
      try await queue.publish([Message(id: "c", body: [3])])
      #expect(try await queue.receive(9, waitingUpTo: .seconds(60))?.map(\.message.id).contains("c") == true)
    }

    @Test("a deleted queue is created again when a client publishes or receives")
    func deleted() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      let (queue, other) = (try server.open(url), try server.open(url))
      try await other.delete()
      _ = try await untilReachable { () async throws(QueueError) in
        try await queue.publish([Message(id: "a", body: [1])])
      }
      #expect(try await queue.receive(2, waitingUpTo: .zero)?.map(\.message.id) == ["a"])
      try await other.delete()
      _ = try await untilReachable { () async throws(QueueError) in
        _ = try await queue.receive(1, waitingUpTo: .zero)
      }
      try await queue.publish([Message(id: "b", body: [2])])
      #expect(try await queue.browse(2).map(\.id) == ["b"])
    }

    @Test(
      "if its queue is deleted, a message on lease is published once, or goes back",
      arguments: ["quorum", "classic"])
    func deletedWhileOut(type: String) async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=\(type)"
      let (queue, other, target) = (
        try server.open(url), try server.open(url), try server.open(server.newURL())
      )
      try await queue.publish(0..<4)
      let deliveries = try #require(try await queue.receive(4, waitingUpTo: longEnough))
      #expect(deliveries.map(\.message.id) == ["m0", "m1", "m2", "m3"])
      try await other.delete()
      // The client needs a moment to notice the deletion.
      #expect(
        await failure { () async throws(QueueError) in _ = try await queue.receive(1, waitingUpTo: .zero) }
          != nil)
      func settle(_ delivery: Delivery) async throws -> QueueError? {
        try await untilReachable { () async throws(QueueError) in
          try await queue.settle(delivery, publishing: [Publication(delivery.message, into: target)])
        }
      }
      #expect(try await settle(deliveries[0]) == nil)
      #expect(try await settle(deliveries[0]) == .leaseLost(id: "m0"))
      try await queue.release([deliveries[1]])
      try await queue.release([deliveries[1]])
      try await queue.requeue(deliveries[2])
      #expect(try await queue.browse(9).map(\.id) == ["m1", "m2"])
      // An earlier deletion of the queue does not matter when a connection breaks.
      let next = try await queue.next()
      try await queue.cut()
      #expect(try await settle(next) == .leaseLost(id: "m1"))
      #expect(try await settle(deliveries[3]) == nil)
      #expect(try await target.browse(9).map(\.id) == ["m0", "m3"])
    }

    @Test(
      "a released message goes into the recreated queue, even if the release is the first to notice the deletion",
      arguments: ["quorum", "classic"])
    func deletedBeforeRelease(type: String) async throws {
      let server = try await RabbitMQServer.shared
      let url = "\(server.newURL())&queue-type=\(type)"
      let (queue, other) = (try server.open(url), try server.open(url))
      try await queue.publish(0..<3)
      let deliveries = try #require(try await queue.receive(3, waitingUpTo: longEnough))
      try await other.delete()
      try await queue.release(Array(deliveries[..<2]))
      try await queue.release([deliveries[2]])
      #expect(try await queue.contents() == ["m0", "m1", "m2"])
    }

    @Test(
      "a message that is released just as its queue is deleted goes into the recreated queue",
      arguments: ["quorum", "classic"])
    func deletedDuringRelease(type: String) async throws {
      let server = try await RabbitMQServer.shared
      let gate = Gate()
      try await withRelay(to: server.ports.plain, through: gate) { port in
        let url = "\(server.newURL())&queue-type=\(type)"
        let other = try server.open(url)
        try await other.publish(0..<1)
        let queue = try server.open(url.replacing(":\(server.ports.plain)/", with: ":\(port)/"))
        let delivery = try await queue.next()
        // The release asks whether the queue exists. By the time it gets the answer "yes", the queue is gone.
        async let release: Void = queue.release([delivery])
        try await Task.sleep(for: aMoment)
        try await other.delete()
        gate.open()
        try await release
        #expect(try await queue.contents() == ["m0"])
      }
    }

    @Test("a message that is too long for the broker is rejected alone, and no lease ends because of it")
    func tooLong() async throws {
      let server = try await RabbitMQServer.shared
      // Longer than any message of other tests.
      func limit(_ size: Int) async throws {
        try await server.control(["eval", "application:set_env(rabbit, max_message_size, \(size))."])
      }
      try await limit(4_000_000)
      let queue = try server.open(server.newURL())
      try await queue.publish([0])
      let delivery = try await queue.next()
      let long = Message(id: "long", body: [UInt8](repeating: 1, count: 4_000_001))
      let detail =
        "\(server.name) refuses: message size 4000001 is larger than configured max size 4000000"
      #expect(
        try await queue.client.publish([message(1), long, message(2)])
          == [.sent, .rejected(Rejection("message-too-large", detail: detail)), .sent])
      #expect(
        await failure { () async throws(QueueError) in try await queue.publish([long]) } == .refused(detail))
      try await limit(134_217_728)
      try await queue.settle(delivery, publishing: [])
      // The broker may have stored the first message before it closed the channel. The queue then has it
      // twice.
      #expect(Set(try await queue.contents()) == ["m1", "m2"])
    }

    @Test("an existing classic queue is used as it is")
    func existing() async throws {
      let server = try await RabbitMQServer.shared
      let url = server.newURL()
      try await server.open("\(url)&queue-type=classic").publish([Message(id: "a", body: [1])])
      #expect(try await server.open(url).browse(2).map(\.id) == ["a"])
    }
  }

  extension RabbitMQQueue {
    fileprivate var publishedCount: UInt64 {
      get async throws {
        try await client.use { (session) throws(QueueError) in session.publishing.publishedCount }
      }
    }

    fileprivate func bind(to exchange: String, key: String) async throws {
      let name = client.url.queue ?? ""
      try await client.use { (session) throws(QueueError) in
        let pool = AMQPPool()
        let bind = unsafe amqp_queue_bind_t(
          ticket: 0, queue: pool.text(name), exchange: pool.text(exchange), routing_key: pool.text(key),
          nowait: 0,
          arguments: amqp_empty_table)
        unsafe try session.taking.send(AMQP_QUEUE_BIND_METHOD, bind)
        try session.replies.wait(for: AMQP_QUEUE_BIND_OK_METHOD)
      }
    }
  }
#endif
