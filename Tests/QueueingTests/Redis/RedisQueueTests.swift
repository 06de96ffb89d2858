#if Redis
  import BuiltInQueueing
  import Queueing
  @testable import RedisQueueing
  import TestSupport
  import Testing

  /// Features that other queues lack: streams that others write, and the limits of a server.
  @Suite("Redis: streams", .timeLimit(.minutes(5)))
  struct RedisQueueTests {
    @Test("entries of other programs are read")
    func foreign() async throws {
      try await withRedisServer { server in
        for fields in [
          ["body", "{}", "apns-topic", "t", "body", "2"], ["text", "no body"], ["id", "mine", "body", ""],
          ["id", "", "body", "4"],
        ] { try await server.command(["XADD", "stream", "*"] + fields) }
        let queue = try Queues().open(server.url("stream"), defaultQueue: "x")
        let deliveries = try #require(try await queue.receive(10, waitingUpTo: .zero))
        let messages = deliveries.map(\.message)
        #expect(messages.map { String(decoding: $0.body, as: UTF8.self) } == ["{}", "", "", "4"])
        #expect(
          messages.map(\.headers) == [
            [Header("apns-topic", "t"), Header("body", "2")], [Header("text", "no body")], [], [],
          ])
        // The id of the stream entry becomes the id of the message, also if that is empty.
        for index in [0, 3] {
          let entry = deliveries[index].receipt.split(separator: "/").first.map { String($0) }
          #expect(messages[index].id == entry)
        }
        #expect(messages[2].id == "mine")
        let other = try Queues().open(server.url("other"), defaultQueue: "x")
        try await queue.settle(deliveries[0], publishing: [Publication(messages[0], into: other)])
        #expect(try await other.contents() == [messages[0].id])
      }
    }

    @Test("thousands of messages are given back at once, in their order, and do not count as handed out")
    func manyReleased() async throws {
      try await withRedisServer { server in
        let queue = try Queues().open(server.url("stream"), defaultQueue: "x")
        try await queue.publish(0..<2_500)
        for _ in 0..<2 {
          var deliveries: [Delivery] = []
          while let more = try await queue.receive(1_000, waitingUpTo: .zero), !more.isEmpty {
            deliveries += more
          }
          #expect(deliveries.map(\.message.id) == (0..<2_500).map { "m\($0)" })
          #expect(deliveries.allSatisfy { $0.attempt == 1 })
          try await queue.release(deliveries)
        }
      }
    }

    @Test("a body over 128 KiB is cut, and headers are not")
    func long() async throws {
      try await withRedisServer { server in
        let queue = try #require(try Queues().open(server.url("stream"), defaultQueue: "x") as? RedisQueue)
        let body = [UInt8](repeating: 7, count: 3_000_000)
        let headers = [Header("long", String(repeating: "1", count: 140_000)), Header("n", "1")]
        try await queue.publish([
          Message(id: "a", body: body, headers: headers), Message(id: "b", body: [1], headers: headers),
        ])
        var messages: [Message] = []
        while let delivery = try await queue.receive(1, waitingUpTo: .zero)?.first {
          messages.append(delivery.message)
          try await queue.settle(delivery, publishing: [])
        }
        #expect(
          messages == [
            Message(id: "a", body: Array(body[..<131_072]), headers: headers),
            Message(id: "b", body: [1], headers: headers),
          ])
      }
    }

    @Test("fields that are too long are left out, and the entry is kept whole when it is settled")
    func longFields() async throws {
      try await withRedisServer { server in
        let queue = try #require(try Queues().open(server.url("stream"), defaultQueue: "x") as? RedisQueue)
        let long = String(repeating: "1", count: 262_144)
        let many = (0..<5_000).map { Header("h\($0)", "v") }
        let whole = [
          Message(id: "a", body: [1], headers: [Header("long", long), Header("n", "1")]),
          Message(id: "b", body: [2], headers: many),
          Message(id: "c", body: [UInt8](repeating: 3, count: 131_073)),
        ]
        try await queue.publish(whole + [Message(id: "d", body: [UInt8](repeating: 4, count: 131_072))])
        var messages: [Message] = []
        while let delivery = try await queue.receive(1, waitingUpTo: .zero)?.first {
          messages.append(delivery.message)
          try await queue.settle(delivery, publishing: [])
        }
        #expect(messages.map(\.id) == ["a", "b", "c", "d"])
        #expect(messages[0].headers == [Header("n", "1"), Header("cut-headers", "262148")])
        let kept = many.prefix { messages[1].headers.contains($0) }
        #expect((3_000..<4_096).contains(kept.count))
        #expect(messages[1].headers.dropLast() == kept)
        #expect(messages[1].header("cut-headers") != nil)
        #expect(messages[2...].map(\.body.count) == [131_072, 131_072])
        #expect(messages[2...].map(\.headers) == [[], []])
        #expect(try await queue.isEmpty)

        let other = try Queues().open(server.url("stream-too-long"), defaultQueue: "x")
        let aside = try await other.browse(9)
        for message in aside {
          let delivery = try await other.next()
          #expect(delivery.message == message)
          try await other.settle(delivery, publishing: [])
        }
        #expect(try await other.isEmpty)
        #expect(try await server.command(["EXISTS", "stream-too-long-too-long"]) == "0\n")
        #expect(aside.map(\.id) == ["a", "b", "c"])
        #expect(aside.first == whole[0])
        #expect(aside.last == whole[2])
        #expect(aside[1].headers.prefix(998) == many.prefix(998))
        #expect(aside[1].header("further-fields")?.hasSuffix(#""h4999","v"]"#) == true)
      }
    }

    @Test("a user who may not keep long messages can work without that")
    func forbiddenKey() async throws {
      try await withRedisServer { server in
        try await server.command([
          "ACL", "SETUSER", "worker", "on", ">secret", "~stream", "+@stream", "+@scripting", "+@transaction",
          "+type", "+auth",
        ])
        let url = server.url("stream").replacing("redis://", with: "redis://worker:secret@")
        let queue = try Queues().open(url, defaultQueue: "x")
        try await queue.publish([Message(id: "a", body: [UInt8](repeating: 1, count: 200_000)), message(1)])
        for delivery in try await queue.receive(2, waitingUpTo: .zero) ?? [] {
          try await queue.settle(delivery, publishing: [])
        }
        #expect(try await queue.isEmpty)
        #expect(try await queue.backlog == Backlog(waiting: 0, onLease: 0))
      }
    }

    @Test("headers pass through unchanged, whatever their bytes")
    func rawHeaders() async throws {
      try await withRedisServer { server in
        let queue = try #require(try Queues().open(server.url("stream"), defaultQueue: "x") as? RedisQueue)
        let other = try #require(try Queues().open(server.url("other"), defaultQueue: "x") as? RedisQueue)
        let odd: [[UInt8]] = [
          Array(0...255), [], [0xF4, 0x8F, 0xBA, 0x80], [0xF4, 0x8F],
          Array("ü\u{10FE7F}\u{10FEFF}".utf8) + [0x80],
        ]
        let fields: [[UInt8]] = odd.flatMap { value -> [[UInt8]] in [[0x6E, 0xFF], value] }
        let id: [[UInt8]] = [Array("id".utf8), [0xFE, 0x31]]
        let body: [[UInt8]] = [Array("body".utf8), [0x80]]
        var command = RedisCommand("XADD", "stream", "*")
        for word in id + body + fields { command.append(word) }
        _ = try await queue.ask(command)
        let delivery = try #require(try await queue.receive(1, waitingUpTo: .zero)?.first)
        #expect(delivery.message.body == [0x80])
        try await queue.settle(delivery, publishing: [Publication(delivery.message, into: other)])
        let entries = try await other.ask(RedisCommand("XRANGE", "other", "-", "+"))
        let found = entries.elements.first?.elements.last?.elements.compactMap(\.bytes)
        #expect(found == id + body + fields)
      }
    }

    @Test("text passes through ByteEscapedText unchanged, and bytes that are not text come back")
    func byteEscapedText() {
      #expect(ByteEscapedText.text(Array("ü €".utf8)) == "ü €")
      for _ in 0..<2_000 {
        // Mostly bytes that have a meaning in this encoding.
        let bytes = (0..<Int.random(in: 0..<12)).map { _ -> UInt8 in
          [0xF4, 0x8F, 0xBA, 0xBB, 0x80, 0x41, 0xE2, .random(in: 0...255)].randomElement() ?? 0
        }
        #expect(ByteEscapedText.bytes(ByteEscapedText.text(bytes)) == bytes)
      }
    }

    @Test("a message may have more headers than a script takes at once")
    func manyHeaders() async throws {
      try await withRedisServer { server in
        let queues = Queues()
        let source = try queues.open(server.url("source"), defaultQueue: "x")
        let target = try queues.open(server.url("target"), defaultQueue: "x")
        let headers = (0..<1_500).map { Header("h\($0)", "v") }
        let large = Message(id: "large", body: [1], headers: headers)
        try await source.publish([large])
        let delivery = try await source.next()
        #expect(delivery.message == large)
        try await source.settle(
          delivery,
          publishing: [Publication(large, into: target), Publication(message(1), into: target)])
        #expect(try await target.contents() == ["large", "m1"])
        #expect(try await source.contents() == [])
      }
    }

    @Test("consumers that have ended are removed, unless they hold messages")
    func tidy() async throws {
      try await withRedisServer { server in
        let url = server.url("stream")
        let queue = try #require(try Queues().open(url, defaultQueue: "x") as? RedisQueue)
        try await queue.publish([1])
        let holder = try Queues().open(url, defaultQueue: "x")
        #expect(try await holder.ids() == ["m1"])
        for name in ["one", "two"] {
          try await server.command(["XGROUP", "CREATECONSUMER", "stream", "workers", name])
        }
        func tidy() async throws -> RedisReply? {
          try await queue.ask(RedisCommand(.tidy, keys: ["stream"], ["workers", "0"]))
        }
        // By then, each consumer has been silent for a millisecond.
        #expect(
          try await eventually {
            _ = try await tidy()
            let consumers = try await server.command(["XINFO", "CONSUMERS", "stream", "workers"])
            return !consumers.contains("one") && !consumers.contains("two")
              && consumers.contains("push-enricher-")
          })
      }
    }

    @Test("out of memory is reported, and the work continues when there is memory")
    func memory() async throws {
      try await withRedisServer { server in
        let queues = Queues()
        let source = try queues.open(server.url("source"), defaultQueue: "x")
        let target = try queues.open(server.url("target"), defaultQueue: "x")
        try await source.publish(0..<2)
        let deliveries = try #require(try await source.receive(2, waitingUpTo: .zero))
        try await server.command(["CONFIG", "SET", "maxmemory", "1"])
        let full = QueueError.unavailable(
          "\(server.name) has reached its maxmemory: raise it or free some space (workers then resume by themselves)"
        )
        #expect(await failure { () async throws(QueueError) in try await source.publish([5]) } == full)
        #expect(await failure { () async throws(QueueError) in try await source.publish([5, 6]) } == full)
        #expect(
          await failure { () async throws(QueueError) in
            try await source.settle(deliveries[0], publishing: [Publication(message(10), into: target)])
          } == full)
        try await server.command(["CONFIG", "SET", "maxmemory", "0"])
        try await source.settle(deliveries[0], publishing: [Publication(message(10), into: target)])
        #expect(try await target.contents() == ["m10"])
        #expect(try await source.contents() == ["m1"])
      }
    }

    @Test("a full disk is reported, and the work continues when there is space")
    func disk() async throws {
      var options = RedisServer.Options()
      // With `always`, Redis would exit because it must not confirm what is not on the disk.
      options.lines = ["appendfsync everysec"]
      try await withRedisServer(options) { server in
        let queue = try Queues().open(server.url("stream"), defaultQueue: "x")
        try await server.limitFiles(to: 20_000)
        var count = 0
        var problem: QueueError?
        while problem == nil, count < 10_000 {
          let number = count
          problem = await failure { () async throws(QueueError) in try await queue.publish([number]) }
          count += 1
        }
        #expect(
          problem
            == .unavailable(
              "\(server.name) cannot write to its disk: see its log; when it can, it goes on by itself"))
        try await server.limitFiles(to: nil)
        #expect(
          try await eventually {
            await failure { () async throws(QueueError) in try await queue.publish([-1]) } == nil
          })
        #expect(try await queue.contents() == (0..<count - 1).map { "m\($0)" } + ["m-1"])
      }
    }

    @Test("a replica accepts nothing until it is the primary again")
    func replica() async throws {
      try await withRedisServer { server in
        let queue = try Queues().open(server.url("stream"), defaultQueue: "x")
        try await queue.publish([1])
        try await server.command(["REPLICAOF", "127.0.0.1", "\(freePort())"])
        let expected = [
          QueueError.unavailable("\(server.name) is a read-only replica: name the primary"),
          .unavailable("\(server.name) has closed the connection: see its log"),
        ]
        let failure = await failure { () async throws(QueueError) in try await queue.publish([2]) }
        #expect(failure.map { expected.contains($0) } == true, "\(String(describing: failure))")
        try await server.command(["REPLICAOF", "NO", "ONE"])
        try await queue.publish([3])
        #expect(try await queue.contents() == ["m1", "m3"])
      }
    }
  }
#endif
