#if Redis
  import BuiltInQueueing
  import Queueing
  @testable import RedisQueueing
  import Synchronization
  import TestSupport
  import Testing

  @Suite("Redis: signs of life", .timeLimit(.minutes(5)))
  struct RedisSignTests {
    private func open(_ server: TestSupport.RedisServer) throws -> any Queue {
      try Queues(leaseDuration: .seconds(2)).open(server.url("stream"), defaultQueue: "x")
    }

    private func marks(at server: TestSupport.RedisServer) async throws -> [String] {
      try await server.command(["XINFO", "CONSUMERS", "stream", "workers"]).split(separator: "\n")
        .filter { $0.contains("=") }.map(String.init)
    }

    @Test("a mark that a restored server has again is removed, and hides no sign of life")
    func leftover() async throws {
      try await withRedisServer { server in
        let (holder, other) = try (open(server), open(server))
        try await holder.publish([0])
        let delivery = try await holder.next()
        let mark = try #require(try await marks(at: server).first)
        // Sorted as text, this mark comes after all marks that follow.
        let leftover = mark.prefix { $0 != "=" } + "=99"
        try await server.command(["XGROUP", "CREATECONSUMER", "stream", "workers", String(leftover)])
        #expect(try await other.ids(waitingUpTo: .seconds(5)) == [])
        #expect(try await eventually { try await !marks(at: server).contains(String(leftover)) })
        try await holder.settle(delivery, publishing: [])
        #expect(try await other.contents() == [])
      }
    }

    @Test("a server that has reached its maxmemory still accepts signs of life")
    func withoutMemory() async throws {
      try await withRedisServer { server in
        let (holder, other) = try (open(server), open(server))
        try await holder.publish([0])
        let delivery = try await holder.next()
        try await server.command(["CONFIG", "SET", "maxmemory", "1"])
        #expect(try await other.ids(waitingUpTo: .seconds(5)) == [])
        try await holder.settle(delivery, publishing: [])
        #expect(try await other.contents() == [])
      }
    }

    @Test("nobody counts as ended while the server refuses writes, and with them all signs of life")
    func withoutWrites() async throws {
      try await withRedisServer { server in
        let holder = try open(server)
        let other = try #require(try open(server) as? RedisQueue)
        try await holder.publish([0])
        let delivery = try await holder.next()
        try await server.command(["CONFIG", "SET", "min-replicas-to-write", "1"])
        let failure = await failure { () async throws(QueueError) in
          _ = try await other.receive(1, waitingUpTo: .zero)
        }
        guard case .unavailable = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
        #expect(await eventually { other.consumerState.withLock { $0.census.looks > 12 } })
        let ended = other.consumerState.withLock { $0.census.ended }
        #expect(ended == [])
        try await server.command(["CONFIG", "SET", "min-replicas-to-write", "0"])
        #expect(try await other.ids(waitingUpTo: .seconds(5)) == [])
        try await holder.settle(delivery, publishing: [])
        #expect(try await other.contents() == [])
      }
    }
  }
#endif
