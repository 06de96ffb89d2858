#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import Synchronization
  import TestSupport
  import Testing

  /// Messages go back into their queue over a separate connection, whose failures end no lease.
  @Suite("RabbitMQ: back into the queue", .timeLimit(.minutes(5)))
  struct RequeuingTests {
    @Test(
      "while the broker accepts nothing, messages stay on lease and can be settled",
      arguments: [false, true])
    func alarm(isConnected: Bool) async throws {
      try await RabbitMQServer.withMortal { server in
        let told = Mutex<[String]>([])
        let url = server.newURL()
        let queues = Queues(tell: { text in told.withLock { $0.append(text) } })
        let queue = try RabbitMQQueue(RabbitMQURL(url, defaultQueue: "x"), in: queues)
        try await server.open(url).publish(0..<4)
        var deliveries = try #require(try await queue.receive(4, waitingUpTo: longEnough))
        if isConnected {
          try await queue.requeue(deliveries[0])
          deliveries[0] = try await queue.next()
        }
        try await server.control(["set_vm_memory_high_watermark", "0"])
        let requeuing = Task { [deliveries] in try await requeue(Array(deliveries[..<2]), into: queue) }
        let isTold = await eventually {
          told.withLock { $0 } == ["\(server.name) takes nothing now: low on memory"]
        }
        try await queue.settle(deliveries[2], publishing: [])
        try await server.control(["set_vm_memory_high_watermark", "0.4"])
        #expect(isTold)
        try await requeuing.value
        try await queue.settle(deliveries[3], publishing: [])
        #expect(try await server.open(url).ids().sorted() == ["m0", "m1"])
      }
    }

    @Test("the second connection gets heartbeats from its first use on")
    func unused() async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open(server.newURL())
      try await queue.publish([1])
      let delivery = try await queue.next()
      let isServiced = { (client: RabbitMQClient) in client.isServiced.load(ordering: .relaxed) }
      #expect(!isServiced(queue.requeuer))
      try await queue.requeue(delivery)
      #expect(isServiced(queue.requeuer))
      #expect(isServiced(queue.client))
    }

    @Test("if a second connection is not allowed, messages stay on lease, and go back once it is allowed")
    func limit() async throws {
      try await RabbitMQServer.withMortal { server in
        let url = server.newURL()
        let queue = try server.open(url)
        try await queue.publish([1])
        let delivery = try await queue.next()
        try await server.control(["set_vhost_limits", "-p", "/", #"{"max-connections":0}"#])
        let failure = await failure { () async throws(QueueError) in try await queue.requeue(delivery) }
        try await server.control(["clear_vhost_limits", "-p", "/"])
        guard case .unavailable = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
        #expect(
          try await untilReachable { () async throws(QueueError) in try await queue.requeue(delivery) } == nil
        )
        #expect(try await queue.next().message.id == "m1")
      }
    }

    @Test("after a restart of the broker, a message that is handed out again goes back again")
    func restart() async throws {
      try await BrokerKind.rabbitMQ.withMortalBroker { broker in
        let queue = try broker.open("incoming")
        try await queue.publish(0..<3)
        let deliveries = try #require(try await queue.receive(2, waitingUpTo: longEnough))
        try await queue.requeue(deliveries[0])
        try await broker.withOutage {
          guard
            case .unavailable = await failure(of: { () async throws(QueueError) in
              try await queue.requeue(deliveries[1])
            })
          else {
            Issue.record("the broker was not away")
            return
          }
        }
        #expect(
          try await untilReachable { () async throws(QueueError) in try await queue.requeue(deliveries[1]) }
            == .leaseLost(id: "m1"))
        for _ in 0..<3 {
          let delivery = try await queue.next()
          #expect(
            try await untilReachable { () async throws(QueueError) in try await queue.requeue(delivery) }
              == nil)
        }
        #expect(try await queue.contents().sorted() == ["m0", "m1", "m2"])
      }
    }

    private func requeue(_ deliveries: [Delivery], into queue: RabbitMQQueue) async throws {
      for delivery in deliveries {
        #expect(
          try await untilReachable { () async throws(QueueError) in try await queue.requeue(delivery) } == nil
        )
      }
    }
  }
#endif
