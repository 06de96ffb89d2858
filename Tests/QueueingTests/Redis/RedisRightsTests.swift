#if Redis
  import BuiltInQueueing
  import Queueing
  @testable import RedisQueueing
  import Supporting
  import TestSupport
  import Testing

  /// Users who lack a right. At the start, each is told which one, before anything is taken or added.
  @Suite("Redis: rights", .timeLimit(.minutes(5)))
  struct RedisRightsTests {
    private static let looking = ["XLEN", "XRANGE"]
    private static let adding = ["XLEN", "XADD", "MULTI", "EXEC"]
    private static let taking =
      looking + [
        "XINFO STREAM", "XINFO CONSUMERS", "XPENDING", "XGROUP CREATE", "XGROUP CREATECONSUMER", "XREADGROUP",
        "XCLAIM", "XGROUP DELCONSUMER", "XACK", "XDEL", "TYPE", "EVAL", "EVALSHA", "XADD", "MULTI", "EXEC",
      ]

    private func refusal(of url: String, for use: QueueUse) throws -> QueueError? {
      do throws(QueueError) {
        _ = try queueURL(url).open(in: Queues(), for: use, createsFile: true)
        return nil
      } catch {
        return error
      }
    }

    private func grant(_ rules: [String], at server: TestSupport.RedisServer) async throws {
      let rights = ["+@stream", "+@scripting", "+@transaction", "+type", "+auth"]
      try await server.command(["ACL", "SETUSER", "worker", "reset", "on", ">secret"] + rights + rules)
    }

    private func url(_ stream: String, at server: TestSupport.RedisServer) -> String {
      server.url(stream, host: "127.0.0.1", user: "worker:secret@")
    }

    @Test("an error names the command that is not allowed, and what grants it")
    func commands() async throws {
      try await withRedisServer { server in
        try await Queues().open(server.url("stream"), defaultQueue: "x").publish(0..<2)
        for (use, needed) in [
          (QueueUse.looking, Self.looking), (.adding, Self.adding), (.taking, Self.taking),
        ] {
          for right in Set(Self.looking + Self.adding + Self.taking) {
            let rule = right.lowercased().replacing(" ", with: "|")
            try await grant(["~stream", "-\(rule)"], at: server)
            let expected =
              needed.contains(right)
              ? QueueError.refused(
                "\(server.name) does not let this user run \(right) on stream: grant it with ACL SETUSER worker +\(rule)"
              ) : nil
            #expect(
              try refusal(of: url("stream", at: server), for: use) == expected, "\(use) without \(right)")
          }
        }
        // The checks have changed nothing.
        let queue = try Queues().open(server.url("stream"), defaultQueue: "x")
        let deliveries = try #require(try await queue.receive(10, waitingUpTo: .zero))
        #expect(deliveries.map(\.message) == [message(0), message(1)])
        #expect(deliveries.map(\.attempt) == [1, 1])
      }
    }

    @Test("an error names all missing rights at once, and a missing key, too")
    func several() async throws {
      try await withRedisServer { server in
        try await grant(["~stream", "-xack", "-xdel"], at: server)
        #expect(
          try refusal(of: url("stream", at: server), for: .taking)
            == .refused(
              "\(server.name) does not let this user run XACK, XDEL on stream: grant it with ACL SETUSER worker +xack +xdel"
            ))
        try await grant(["~stream"], at: server)
        for use in [QueueUse.looking, .adding, .taking] {
          #expect(
            try refusal(of: url("other", at: server), for: use)
              == .refused(
                "\(server.name) does not let this user use the key other: grant it with ACL SETUSER worker ~other"
              ))
        }
        try await grant(["~stream", "-script|load"], at: server)
        #expect(
          try refusal(of: url("stream", at: server), for: .adding)
            == .refused(
              "\(server.name) does not let this user do it (NOPERM this user has no permissions to run the 'script|load' command): grant it with ACL SETUSER worker +@stream +@scripting +@transaction +type +auth"
            ))
      }
    }

    @Test("these rights, and no others, are enough")
    func enough() async throws {
      try await withRedisServer { server in
        let rules = Self.taking + ["SCRIPT LOAD"]
        try await server.command(
          ["ACL", "SETUSER", "worker", "reset", "on", ">secret", "~stream"]
            + rules.map { "+" + $0.lowercased().replacing(" ", with: "|") })
        let queue = try Queues().open(url("stream", at: server), defaultQueue: "x")
        try await queue.publish(0..<3)
        let deliveries = try #require(try await queue.receive(2, waitingUpTo: .zero))
        try await queue.settle(deliveries[0], publishing: [Publication(message(9), into: queue)])
        try await queue.release([deliveries[1]])
        #expect(try await queue.ids() == ["m1", "m2", "m9"])
        // Administrators watch for users who try what they may not do.
        #expect(try await !server.command(["ACL", "LOG"]).contains("worker"))
      }
    }

    private static let postponing = [
      "ZADD", "ZREM", "ZRANGEBYSCORE", "ZCARD", "ZSCORE", "ZRANGEBYLEX", "ZREVRANGEBYLEX",
    ]

    @Test("a queue that puts messages aside needs rights on its sorted sets, too")
    func sortedSets() async throws {
      try await withRedisServer { server in
        let url = url("stream", at: server)
        func refusal() throws -> QueueError? {
          do throws(QueueError) {
            _ = try queueURL(url).open(in: Queues(keepsOrder: true), for: .taking, createsFile: true)
            return nil
          } catch {
            return error
          }
        }
        func told(_ missing: String, _ grants: String) -> QueueError {
          .refused(
            "\(server.name) does not let this user \(missing): grant it with ACL SETUSER worker \(grants)")
        }
        try await grant(["~stream"], at: server)
        let commands = Self.postponing.map { "+\($0.lowercased())" }.joined(separator: " ")
        #expect(
          try refusal() == told("run \(Self.postponing.joined(separator: ", ")) on stream", commands))
        try await grant(["~stream", "+@sortedset"], at: server)
        let keys = ["stream-postponed-workers", "stream-order-workers"]
        #expect(
          try refusal()
            == told(
              "use the keys \(keys.joined(separator: ", "))", keys.map { "~\($0)" }.joined(separator: " ")))
        for right in Self.postponing {
          try await grant(
            ["~stream"] + keys.map { "~\($0)" } + ["+@sortedset", "-\(right.lowercased())"], at: server)
          #expect(try refusal() == told("run \(right) on stream", "+\(right.lowercased())"))
        }
        // With the rights that are granted here, messages can be put aside and taken back.
        try await grant(
          ["~stream"] + keys.map { "~\($0)" } + commands.split(separator: " ").map(String.init), at: server)
        #expect(try refusal() == nil)
        let queue = try #require(
          try queueURL(url).open(in: Queues(keepsOrder: true), for: .taking, createsFile: true)
            as? any PostponingSource & Sink)
        let messages = (0..<2).map {
          Message(id: "m\($0)", body: [], headers: [Header("device-token", "a b")])
        }
        try await queue.publish(messages)
        let deliveries = try #require(try await queue.receive(2, waitingUpTo: longEnough))
        try await queue.postpone(deliveries[0], until: WallClock.milliseconds + 500, line: "a b")
        #expect(try await queue.due(before: deliveries).map { $0 == nil } == [true, false])
        #expect(try await queue.receive(1, waitingUpTo: longEnough)?.map(\.message) == [messages[0]])
        #expect(try await queue.due(before: deliveries) == [nil, nil])
      }
    }

    /// Rights that are revoked while a worker runs, as in the next test.
    @Test("messages taken before Redis refused the rest are handed out again, with one hand-out counted")
    func brokenOff() async throws {
      try await withRedisServer { server in
        try await grant(["~stream"], at: server)
        let queue = try Queues(leaseDuration: .seconds(2)).open(url("stream", at: server), defaultQueue: "x")
        try await queue.publish([0])
        try await server.command(["ACL", "SETUSER", "worker", "-xgroup|createconsumer"])
        let failure = await failure { () async throws(QueueError) in
          _ = try await queue.receive(1, waitingUpTo: .zero)
        }
        guard case .refused = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
        try await grant(["~stream"], at: server)
        let delivery = try await queue.next()
        #expect(delivery.message == message(0) && delivery.attempt == 1)
      }
    }

    @Test("a settlement that was cut off publishes only what is missing at the next try")
    func partly() async throws {
      try await withRedisServer { server in
        try await grant(["~source", "~first", "~second"], at: server)
        let queues = Queues()
        let source = try queues.open(url("source", at: server), defaultQueue: "x")
        let targets = try ["first", "second"].map { try queues.open(url($0, at: server), defaultQueue: "x") }
        try await source.publish([0])
        let delivery = try await source.next()
        let publications = targets.map { Publication(message(1), into: $0) }
        let settle = { () async throws(QueueError) in
          try await source.settle(delivery, publishing: publications)
        }
        for (lacking, isBegun) in [("-xpending", false), ("-xadd", false), ("-xack", true), ("-xdel", true)] {
          try await server.command(["ACL", "SETUSER", "worker", lacking])
          guard case .refused = await failure(of: settle) else {
            Issue.record("\(lacking)")
            continue
          }
          #expect(publications.isBegun == isBegun)
          try await grant(["~source", "~first", "~second"], at: server)
        }
        #expect(try await settle() == .sent)
        #expect(try await source.contents() == [])
        for target in targets { #expect(try await target.contents() == ["m1"]) }
      }
    }
  }
#endif
