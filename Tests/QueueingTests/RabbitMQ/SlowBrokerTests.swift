#if RabbitMQ
  import Queueing
  @testable import RabbitMQQueueing
  import Synchronization
  import TestSupport
  import Testing

  /// Messages that have arrived do not wait for those that have not.
  @Suite("RabbitMQ: slow, and long", .timeLimit(.minutes(5)))
  struct SlowBrokerTests {
    @Test(
      "a message is handed out and settled while later ones are on their way",
      arguments: [3, 100])
    func slow(count: Int) async throws {
      let server = try await RabbitMQServer.shared
      let gate = Gate()
      try await withRelay(to: server.ports.plain, through: gate) { port in
        let url = server.newURL()
        try await server.open(url).publish(0..<count)
        let queue = try server.open(url.replacing(":\(server.ports.plain)/", with: ":\(port)/"))
        let first = try await queue.receive(3, waitingUpTo: longEnough) ?? []
        #expect(first.map(\.message.id) == ["m0"])
        try await queue.settle(first[0], publishing: [])
        #expect(try await queue.receive(3, waitingUpTo: aMoment) == [])
        gate.open()
        var others: [Delivery] = []
        while others.count < count - 1 {
          others += try #require(try await queue.receive(8, waitingUpTo: longEnough))
        }
        #expect(others.map(\.message.id) == (1..<count).map { "m\($0)" })
        #expect(others.allSatisfy { $0.attempt == 1 })
        for delivery in others { try await queue.settle(delivery, publishing: []) }
        #expect(try await server.open(url).isEmpty)
      }
    }

    @Test("a broker that accepts nothing says why while its answer is awaited, and when it accepts again")
    func blocked() async throws {
      try await RabbitMQServer.withMortal { server in
        let told = Mutex<[String]>([])
        let url = try RabbitMQURL(server.newURL(), defaultQueue: "x")
        let queues = Queues(tell: { text in told.withLock { $0.append(text) } })
        let queue = try RabbitMQQueue(url, in: queues)
        let reason = "takes nothing now: low on disk"
        try await server.fillDisk(of: 0)
        // The broker may still accept the first one; it announces the block because of it.
        async let first = publish(0, to: queue)
        async let second = publish(1, to: queue)
        let isTold = await eventually { told.withLock { $0 } == ["\(server.name) \(reason)"] }
        try await server.freeDisk(of: 0)
        #expect(isTold)
        for failure in await [first, second].compactMap(\.self) {
          // Both a waiting publication and one that has waited too long get the reason.
          #expect("\(failure)".hasSuffix(reason), "\(failure)")
        }
        #expect(
          await eventually { told.withLock { $0.last } == "\(server.name) takes messages again" })
      }
    }

    private func publish(_ number: Int, to queue: RabbitMQQueue) async -> QueueError? {
      await failure { () async throws(QueueError) in try await queue.publish([message(number)]) }
    }

    @Test("messages that are released while the broker's disk hangs are in their places once it continues")
    func release() async throws {
      try await RabbitMQServer.withMortal { server in
        let url = server.newURL()
        let queue = try server.open(url)
        try await queue.publish(0..<150)
        // On a busy machine they do not arrive all at once.
        var deliveries: [Delivery] = []
        while deliveries.count < 100 {
          deliveries += try #require(try await queue.receive(100 - deliveries.count, waitingUpTo: longEnough))
        }
        // All writes of quorum queues go through this process (https://github.com/rabbitmq/ra). It
        // is suspended for as long as a busy disk takes for a write. The broker itself resumes it,
        // because a second command would take longer on a busy machine than a release waits.
        try await server.control([
          "eval",
          "sys:suspend(ra_log_wal), spawn(fun() -> timer:sleep(5000), sys:resume(ra_log_wal) end).",
        ])
        for delivery in deliveries[..<20] { try await queue.settle(delivery, publishing: []) }
        try await queue.release(Array(deliveries[20...]))
        #expect(try await server.open(url).ids() == (20..<150).map { "m\($0)" })
      }
    }

    /// A caller that goes through the queue, as dequeue does, or one that waits until it is empty, as a worker does.
    @Test(
      "messages that are settled while the broker's disk hangs do not come back", arguments: [true, false])
    func settle(takesAll: Bool) async throws {
      try await RabbitMQServer.withMortal { server in
        let url = server.newURL()
        try await server.open(url).publish(0..<100)
        func settleAll() async throws {
          let queue = try server.open(url)
          var deliveries: [Delivery] = []
          while deliveries.count < 100 {
            deliveries += try #require(
              try await queue.receive(100 - deliveries.count, waitingUpTo: takesAll ? .zero : longEnough))
          }
          try await server.control([
            "eval",
            "sys:suspend(ra_log_wal), spawn(fun() -> timer:sleep(5000), sys:resume(ra_log_wal) end).",
          ])
          for delivery in deliveries { try await queue.settle(delivery, publishing: []) }
          if !takesAll { #expect(try await eventually { try await queue.isEmpty }) }
        }
        // The connection ends with the queue.
        try await settleAll()
        try await server.open(url).publish([100])
        #expect(try await server.open(url).ids() == ["m100"])
      }
    }

    /// RabbitMQ counts 0 messages then. The broker itself resumes the queue, because a second command would come too
    /// late on a busy machine.
    @Test("a quorum queue that is slow to answer does not seem empty", arguments: SlowQueueUse.allCases)
    func slowQueue(use: SlowQueueUse) async throws {
      try await RabbitMQServer.withMortal { server in
        let url = server.newURL()
        let queue = try server.open(url)
        try await queue.publish(0..<5)
        let name = try #require(queue.client.url.queue)
        try await server.control([
          "eval",
          """
          {ok, Q} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"\(name)">>)), {N, _} = amqqueue:get_pid(Q), \
          P = whereis(N), sys:suspend(P), spawn(fun() -> timer:sleep(3000), sys:resume(P) end).
          """,
        ])
        switch use {
        case .taking:
          let taken = try await queue.receive(5, waitingUpTo: .zero) ?? []
          #expect(taken.map(\.message.id).first == "m0")
        case .browsing: #expect(try await queue.browse(10).map(\.id) == (0..<5).map { "m\($0)" })
        case .ending: #expect(try await !queue.isEmpty)
        }
      }
    }

    enum SlowQueueUse: CaseIterable { case taking, browsing, ending }

    @Test(
      "fewer long messages come than asked for, and the others come next", arguments: ["quorum", "classic"])
    func long(queueType: String) async throws {
      let server = try await RabbitMQServer.shared
      let queue = try server.open("\(server.newURL())&queue-type=\(queueType)")
      let long = (0..<40).map { Message(id: "m\($0)", body: [UInt8](repeating: 1, count: 100_000)) }
      try await queue.publish(long)
      var received: [Delivery] = []
      while received.count < 40 {
        let deliveries = try #require(try await queue.receive(16, waitingUpTo: longEnough))
        // At first the length of the messages is unknown.
        #expect(deliveries.count <= (received.isEmpty ? 4 : 3))
        received += deliveries
        #expect(try await queue.out == received.count)
      }
      #expect(received.map(\.message) == long)
      #expect(received.allSatisfy { $0.attempt == 1 })
      for delivery in received { try await queue.settle(delivery, publishing: []) }
      // Short messages come in larger numbers again.
      try await queue.publish(0..<100)
      var counts: [Int] = []
      while try await !queue.isEmpty {
        let deliveries = try await queue.receive(16, waitingUpTo: longEnough) ?? []
        counts.append(deliveries.count)
        for delivery in deliveries { try await queue.settle(delivery, publishing: []) }
      }
      #expect(counts.max() == 16)
    }
  }

  extension RabbitMQQueue {
    /// The number of messages that the broker has handed out.
    fileprivate var out: Int {
      get async throws {
        try await client.use { (session) throws(QueueError) in
          session.replies.inbox.unsettled.count + session.replies.inbox.outstandingReplies
        }
      }
    }
  }
#endif
