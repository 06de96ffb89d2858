#if Redis
  import BuiltInQueueing
  import Queueing
  @testable import RedisQueueing
  import Supporting
  import TestSupport
  import Testing

  @Suite("Redis: what is put aside", .timeLimit(.minutes(2)))
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
        // A thousand in each call.
        for _ in 0..<3 {
          _ = try await queue.ask(RedisCommand(.tidy, keys: ["stream"], ["workers", "3600000"]))
        }
        let back = try #require(try await queue.receive(10, waitingUpTo: .zero))
        #expect(Set(back.map(\.message.id)) == ["m0", "m1", "m\(count - 2)", "m\(count - 1)"])
        #expect(try await server.command(["EXISTS", "stream-place-workers"]).contains("1") == false)
      }
    }
  }
#endif
