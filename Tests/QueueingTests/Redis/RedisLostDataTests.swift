#if Redis
  import BuiltInQueueing
  import Glibc
  import Queueing
  @testable import RedisQueueing
  import TestSupport
  import Testing

  @Suite("Redis: lost data", .timeLimit(.minutes(5)))
  struct RedisLostDataTests {
    @Test("a server that has lost its scripts, its connections, or everything is recovered from")
    func forgetful() async throws {
      try await withRedisServer { server in
        let queues = Queues()
        let source = try queues.open(server.url("source"), defaultQueue: "x")
        let target = try queues.open(server.url("target"), defaultQueue: "x")
        try await source.publish(0..<4)
        let deliveries = try #require(try await source.receive(3, waitingUpTo: .zero))
        try await server.command(["SCRIPT", "FLUSH"])
        try await source.settle(deliveries[0], publishing: [Publication(message(10), into: target)])
        try await server.command(["CLIENT", "KILL", "TYPE", "normal"])
        try await source.settle(deliveries[1], publishing: [Publication(message(11), into: target)])
        #expect(try await target.contents() == ["m10", "m11"])
        #expect(try await source.ids() == ["m3"])

        try await server.command(["XGROUP", "DESTROY", "source", "workers"])
        #expect(
          await failure { () async throws(QueueError) in
            try await source.settle(deliveries[2], publishing: [Publication(message(12), into: target)])
          } == .leaseLost(id: "m2"))
        try await source.release(deliveries)
        #expect(try await source.ids() == ["m2", "m3"])
        try await server.command(["FLUSHALL"])
        #expect(try await source.ids() == [])
        try await source.publish([5])
        #expect(try await source.ids() == ["m5"])
      }
    }

    @Test(
      "the result of a message that a server has lost is published, unless others may have settled the message",
      arguments: [
        (["DEL source"], 90, true), (["FLUSHALL"], 90, true), (["FLUSHALL"], 0, true),
        // As after a restore from yesterday's backup, or a failover to a replica that lags behind.
        (["DEL source", "XADD source 1-1 body {}", "XGROUP CREATE source workers 0"], 90, true),
        (["DEL source", "XADD source * body {}", "XGROUP CREATE source workers 0"], 90, true),
        // Something newer was settled. If the lease has not run out, it was not this message that was
        // settled.
        (["DEL source", "XADD source 9999999999999-0 a b", "XDEL source 9999999999999-0"], 90, true),
        (["DEL source", "XADD source 9999999999999-0 a b", "XDEL source 9999999999999-0"], 0, false),
        (["XGROUP DESTROY source workers"], 90, false),
      ])
    func lostData(commands: [String], lease: Int, isPublished: Bool) async throws {
      try await withRedisServer { server in
        let queues = Queues(leaseDuration: .seconds(lease))
        let source = try queues.open(server.url("source"), defaultQueue: "x")
        let target = try queues.open(server.url("target"), defaultQueue: "x")
        try await source.publish(0..<2)
        let deliveries = try #require(try await source.receive(2, waitingUpTo: .zero))
        for command in commands { try await server.command(command.split(separator: " ").map(String.init)) }
        try await withTemporaryDirectory { folder in
          // One target is on the same server, and one is elsewhere. The lease is checked before the second
          // one.
          let elsewhere = try queues.open("sqlite:\(folder.path(of: "queue.db"))", defaultQueue: "x")
          for (delivery, queue) in zip(deliveries, [target, elsewhere]) {
            let id = delivery.message.id
            let failure = await failure { () async throws(QueueError) in
              try await source.settle(delivery, publishing: [Publication(delivery.message, into: queue)])
            }
            #expect(failure == (isPublished ? nil : .leaseLost(id: id)))
            #expect(try await queue.contents() == (isPublished ? [id] : []))
          }
        }
      }
    }

    @Test("a message whose consumer somebody has deleted is settled, because nobody else gets it")
    func deletedConsumer() async throws {
      try await withRedisServer { server in
        let queues = Queues()
        let source = try queues.open(server.url("source"), defaultQueue: "x")
        let target = try queues.open(server.url("target"), defaultQueue: "x")
        try await source.publish(0..<2)
        let deliveries = try #require(try await source.receive(2, waitingUpTo: .zero))
        let consumer = try #require(RedisReceipt(deliveries[0].receipt)?.consumer)
        try await server.command(["XGROUP", "DELCONSUMER", "source", "workers", consumer])
        try await withTemporaryDirectory { folder in
          let elsewhere = try queues.open("sqlite:\(folder.path(of: "queue.db"))", defaultQueue: "x")
          for (delivery, queue) in zip(deliveries, [target, elsewhere]) {
            try await source.settle(delivery, publishing: [Publication(delivery.message, into: queue)])
            #expect(try await queue.contents() == [delivery.message.id])
            let again = await failure { () async throws(QueueError) in
              try await source.settle(delivery, publishing: [])
            }
            #expect(again == .leaseLost(id: delivery.message.id))
          }
        }
        #expect(try await source.ids() == [])
      }
    }

    @Test(
      "messages that a server has lost are put back on release, and those that it still has are not duplicated"
    )
    func givenBack() async throws {
      try await withRedisServer { server in
        let source = try Queues().open(server.url("source"), defaultQueue: "x")
        try await source.publish(0..<3)
        let deliveries = try #require(try await source.receive(3, waitingUpTo: .zero))
        try await source.settle(deliveries[0], publishing: [])
        try await source.release(deliveries)
        #expect(try await source.contents() == ["m1", "m2"])
        let again = try #require(try await source.receive(3, waitingUpTo: .zero))
        try await server.command(["FLUSHALL"])
        try await source.release(again)
        try await source.release(again)
        #expect(try await source.ids() == ["m1", "m2"])
      }
    }

    @Test(
      "lost messages are put back even if something newer was settled, and at the second try")
    func givenBackLater() async throws {
      try await withRedisServer { server in
        let source = try Queues().open(server.url("source"), defaultQueue: "x")
        try await source.publish(0..<3)
        let deliveries = try #require(try await source.receive(3, waitingUpTo: .zero))
        try await server.command(["FLUSHALL"])
        try await source.publish([3])
        try await source.settle(try await source.next(), publishing: [])
        try await source.release([deliveries[0]])
        #expect(try await source.contents() == ["m0"])

        try await server.command(["FLUSHALL"])
        try await source.publish([4])
        try await source.settle(try await source.next(), publishing: [])
        try await server.command(["CONFIG", "SET", "maxmemory", "1"])
        #expect(
          await failure { () async throws(QueueError) in try await source.release([deliveries[1]]) } != nil)
        try await server.command(["CONFIG", "SET", "maxmemory", "0"])
        try await source.release([deliveries[1]])
        #expect(try await source.contents() == ["m1"])
      }
    }

    @Test(
      "after a settlement that Redis refused or never received the lease is certain, after a lost reply it is not",
      arguments: [
        ("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0", true), ("kill", "restart", true),
        ("stop", "continue", false),
      ])
    func surelyHeld(trouble: String, end: String, isPublished: Bool) async throws {
      var options = RedisServer.Options()
      options.lines = ["appendfsync no"]
      try await withRedisServer(options) { server in
        let url = try RedisURL(server.url("source"), defaultStream: "x")
        let store = try RedisStore(url.server, certificateFile: nil, replyTimeout: .seconds(5))
        let (source, target) = try (queue("source", in: store), queue("target", in: store))
        let another = try Queues().open(server.url("source"), defaultQueue: "x")
        try await source.publish([0])
        let delivery = try await source.next()
        let settle = { () async throws(QueueError) in
          try await source.settle(delivery, publishing: [Publication(delivery.message, into: target)])
        }
        try await apply(trouble, to: server)
        #expect(await failure(of: settle) != nil)
        try await apply(end, to: server)
        // Redis loses its data, and another consumer settles something newer.
        try await server.command(["FLUSHALL"])
        try await another.publish([1])
        try await another.settle(try await another.next(), publishing: [])
        #expect(await failure(of: settle) == (isPublished ? nil : .leaseLost(id: "m0")))
        #expect(try await target.contents() == (isPublished ? ["m0"] : []))
      }
    }

    private func queue(_ stream: String, in store: RedisStore) throws -> RedisQueue {
      try RedisQueue(
        store: store, stream: stream, group: "workers", for: .taking, leaseDuration: QueueLease.duration)
    }

    private func apply(_ trouble: String, to server: TestSupport.RedisServer) async throws {
      switch trouble {
      case "kill": try await server.kill()
      case "restart": try await server.restart()
      case "stop", "continue":
        let process = try #require(await server.pid)
        #expect(Glibc.kill(process, trouble == "stop" ? SIGSTOP : SIGCONT) == 0)
      default: try await server.command(trouble.split(separator: " ").map(String.init))
      }
    }

    @Test("a server that may have only part of the data does not report messages as lost")
    func copy() async throws {
      try await withRedisServer { server in
        let queues = Queues()
        let source = try queues.open(server.url("source"), defaultQueue: "x")
        try await source.publish([0])
        let delivery = try await source.next()
        try await server.command(["FLUSHALL"])
        try await server.command(["REPLICAOF", "127.0.0.1", "1"])
        let failure = await failure { () async throws(QueueError) in
          try await source.settle(delivery, publishing: [])
        }
        guard case .unavailable = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
      }
    }
  }
#endif
