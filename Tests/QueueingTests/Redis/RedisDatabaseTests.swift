#if Redis
  import BuiltInQueueing
  import Queueing
  @testable import RedisQueueing
  import TestSupport
  import Testing

  /// A database of Redis has to be selected on each connection.
  @Suite("Redis: databases", .timeLimit(.minutes(5)))
  struct RedisDatabaseTests {
    @Test("streams of two databases are two queues, even after the connection was lost")
    func apart() async throws {
      try await withRedisServer { server in
        let queues = Queues()
        let base = "redis://127.0.0.1:\(server.port)"
        let zero = try queues.open("\(base)/a", defaultQueue: "x")
        let one = try queues.open("\(base)/1/a", defaultQueue: "x")
        let same = try queues.open("\(base)/a?db=1", defaultQueue: "x")
        try await zero.publish([Message(id: "zero", body: [0])])
        try await one.publish([Message(id: "one", body: [1])])
        #expect(try await same.contents() == ["one"])
        try await server.kill()
        try await server.restart()
        try await one.publish([Message(id: "two", body: [2])])
        #expect(try await one.contents() == ["one", "two"])
        #expect(try await zero.contents() == ["zero"])
        try await server.command(["CLIENT", "KILL", "TYPE", "normal"])
        try await one.publish([Message(id: "three", body: [3])])
        #expect(try await one.contents() == ["one", "two", "three"])
        #expect(try await server.command(["-n", "0", "XLEN", "a"]) == "1\n")
        #expect(try await server.command(["-n", "1", "XLEN", "a"]) == "3\n")
      }
    }

    @Test("a result goes into another database, and its message is gone from the first one")
    func settling() async throws {
      try await withRedisServer { server in
        let queues = Queues()
        let base = "redis://127.0.0.1:\(server.port)"
        let source = try queues.open("\(base)/3/a", defaultQueue: "x")
        let target = try queues.open("\(base)/4/a", defaultQueue: "x")
        try await source.publish([Message(id: "m", body: [0])])
        let delivery = try #require(try await source.receive(1, waitingUpTo: .zero)?.first)
        try await source.settle(delivery, publishing: [Publication(delivery.message, into: target)])
        #expect(try await source.isEmpty)
        #expect(try await target.contents() == ["m"])
      }
    }

    @Test("a message that is too long stays in its database") func tooLong() async throws {
      try await withRedisServer { server in
        let url = "redis://127.0.0.1:\(server.port)/2/a"
        let queue = try Queues().open(url, defaultQueue: "x")
        try await queue.publish([Message(id: "m", body: [UInt8](repeating: 7, count: 200_000))])
        let delivery = try #require(try await queue.receive(1, waitingUpTo: .zero)?.first)
        try await queue.settle(delivery, publishing: [])
        #expect(try await server.command(["-n", "2", "XLEN", "a-too-long"]) == "1\n")
        #expect(try await server.command(["-n", "0", "EXISTS", "a-too-long"]) == "0\n")
      }
    }

    @Test("a database that is missing, or that the user may not select, is refused") func refused()
      async throws
    {
      try await withRedisServer { server in
        let name = "Redis at 127.0.0.1:\(server.port)"
        let none = "\(name) has no database 99: raise databases in its redis.conf, or name another"
        #expect(throws: QueueError.refused(none)) {
          try Queues().open("redis://127.0.0.1:\(server.port)/99/a", defaultQueue: "x")
        }
        try await server.command(["ACL", "SETUSER", "me", "on", ">pw", "~*", "+@all", "-select"])
        let refusal =
          "\(name) does not let this user select database 1: grant it with ACL SETUSER me +select, or use database 0"
        #expect(throws: QueueError.refused(refusal)) {
          try Queues().open("redis://me:pw@127.0.0.1:\(server.port)/1/a", defaultQueue: "x")
        }
        _ = try Queues().open("redis://me:pw@127.0.0.1:\(server.port)/0/a", defaultQueue: "x")
      }
    }
  }
#endif
