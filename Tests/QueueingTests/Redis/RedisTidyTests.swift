#if Redis
  import BuiltInQueueing
  import Queueing
  @testable import RedisQueueing
  import Supporting
  import TestSupport
  import Testing

  @Suite("Redis: what is put aside", .timeLimit(.minutes(5)))
  struct RedisTidyTests {
    @Test("messages whose time is lost come back, however many are put aside")
    func lostTimes() async throws {
      try await withRedisServer { server in
        let url = server.url("stream")
        let queue = try #require(try Queues().open(url, defaultQueue: "x") as? RedisQueue)
        let count = 2_300
        try await queue.publish(0..<count)
        let later = WallClock.milliseconds + 3_600_000
        var number: Int64 = 0
        while number < count {
          let deliveries = try #require(try await queue.receive(100, waitingUpTo: .zero))
          try await withThrowingTaskGroup(of: Void.self) { group in
            for delivery in deliveries {
              number += 1
              let due = later + number
              group.addTask { try await queue.postpone(delivery, until: due, line: nil) }
            }
            try await group.waitForAll()
          }
        }
        for key in ["ZPOPMIN", "ZPOPMAX"] {
          try await server.command([key, "stream-postponed-workers", "2"])
        }
        // Each call removes a thousand.
        for _ in 0..<3 {
          _ = try await queue.ask(RedisCommand(.tidy, keys: ["stream"], ["workers", "3600000"]))
        }
        let back = try #require(try await queue.receive(10, waitingUpTo: .zero))
        #expect(Set(back.map(\.message.id)) == ["m0", "m1", "m\(count - 2)", "m\(count - 1)"])
        #expect(try await server.command(["EXISTS", "stream-place-workers"]).contains("1") == false)
      }
    }

    @Test("entries with ids that somebody chose by hand keep their order, and come back under these ids")
    func chosenIDs() async throws {
      try await withRedisServer { server in
        for id in ["9-1", "10-1", "1700000000000-10"] {
          try await server.command(["XADD", "stream", id, "device-token", "ab", "body", "{}"])
        }
        let queue = try #require(
          try Queues().open(server.url("stream"), defaultQueue: "x") as? RedisQueue)
        let deliveries = try #require(try await queue.receive(3, waitingUpTo: .zero))
        let time = WallClock.milliseconds
        for (delivery, age) in zip(deliveries[..<2], [1, 2] as [Int64]) {
          try await queue.postpone(delivery, until: time - age, line: delivery.message.line)
        }
        #expect(try await queue.due(before: deliveries) == [nil, time - 1, time - 2])
        #expect(try await queue.ids(10) == ["9-1", "10-1"])
        #expect(try await queue.due(before: deliveries) == [nil, nil, nil])
      }
    }
  }
#endif
