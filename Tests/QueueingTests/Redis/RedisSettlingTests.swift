#if Redis
  import BuiltInQueueing
  import Dispatch
  import Queueing
  @testable import RedisQueueing
  import Supporting
  import Synchronization
  import TestSupport
  import Testing

  @Suite("Redis: settlements that are sent together", .timeLimit(.minutes(5)))
  struct RedisSettlingTests {
    /// Sends what `bodies` settle in one batch. Returns how each ended.
    private func together(
      on queue: RedisQueue, _ bodies: [@Sendable () async throws(QueueError) -> SendResult]
    ) async throws -> [Result<SendResult, QueueError>] {
      let gate = DispatchSemaphore(value: 0)
      let isHeld = Mutex(false)
      // The store sends one batch at a time.
      async let held = queue.store.ask {
        isHeld.withLock { $0 = true }
        gate.wait()
        return RedisStore.Request()
      }
      #expect(await eventually { isHeld.withLock { $0 } })
      let tasks = bodies.map { body in
        Task { () async -> Result<SendResult, QueueError> in
          do throws(QueueError) { return .success(try await body()) } catch { return .failure(error) }
        }
      }
      try await Task.sleep(for: aMoment)
      gate.signal()
      _ = try await held
      var results: [Result<SendResult, QueueError>] = []
      for task in tasks { results.append(await task.value) }
      return results
    }

    @Test("each has its own answer", arguments: [true, false])
    func answers(mayUseAllKeys: Bool) async throws {
      try await withRedisServer { server in
        func grant(_ keys: [String]) async throws {
          try await server.command(["ACL", "SETUSER", "worker", "reset", "on", ">secret", "+@all"] + keys)
        }
        let keys = ["~in*", "~out", "~dead", "~text"]
        try await grant(keys + ["~closed"])
        let queues = Queues()
        func open(_ stream: String) throws -> any Queue {
          try queues.open(server.url(stream, host: "127.0.0.1", user: "worker:secret@"), defaultQueue: "x")
        }
        let source = try #require(try open("in") as? RedisQueue)
        let (out, dead, text, closed) = (
          try open("out"), try open("dead"), try open("text"), try open("closed")
        )
        try await server.command(["SET", "text", "no stream"])
        if !mayUseAllKeys { try await grant(keys) }
        try await source.publish(0..<8)
        let deliveries = try #require(try await source.receive(8, waitingUpTo: .zero))
        try await source.release([deliveries[1]])
        let plans: [[any Queue]] = [
          [out], [out], [text], [dead, out], [], [closed], [out, text], [out],
        ]
        let results = try await together(
          on: source,
          zip(deliveries, plans).map { delivery, plan in
            { () async throws(QueueError) in
              try await source.settle(
                delivery, publishing: plan.map { Publication(delivery.message, into: $0) })
            }
          })
        let noStream = QueueError.refused("the key text of \(server.name) is not a stream: name another key")
        #expect(results[0] == .success(.sent))
        #expect(results[1] == .failure(.leaseLost(id: "m1")))
        #expect(results[2] == .failure(noStream))
        #expect(results[3] == .success(.sent))
        #expect(results[4] == .success(.sent))
        if case .failure(.refused) = results[5] {
          #expect(!mayUseAllKeys)
        } else {
          #expect(mayUseAllKeys && results[5] == .success(.sent))
        }
        #expect(results[6] == .failure(noStream))
        #expect(results[7] == .success(.sent))
        // On a busy machine, they are not settled in one script, nor in their order.
        #expect(try await out.contents().sorted() == ["m0", "m3", "m7"])
        #expect(try await dead.contents() == ["m3"])
        // What has failed is still in the stream.
        let left = ["m1", "m2"] + (mayUseAllKeys ? [] : ["m5"]) + ["m6"]
        #expect(try await source.browse(10).map(\.id) == left)
      }
    }
  }
#endif
