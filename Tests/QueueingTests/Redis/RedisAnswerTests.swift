#if Redis
  import Queueing
  @testable import RedisQueueing
  import TestSupport
  import Testing

  @Suite("Redis: an answer for each message", .timeLimit(.minutes(5)))
  struct RedisAnswerTests {
    @Test("a message that is too large for Redis is rejected, and the others in the batch are not")
    func tooLarge() async throws {
      let digest = "$40\r\n" + String(repeating: "a", count: 40) + "\r\n"
      let scripts = RedisScript.all.count
      let error = "ERR Elements are too large to be stored"
      try await withServer { heard in
        if heard.matches(of: /LOAD\r\n/).count == scripts { return String(repeating: digest, count: scripts) }
        guard heard.contains("EXEC\r\n") else { return nil }
        // First come the answers to the check whether the user may add entries, and then those to the
        // additions.
        return heard.contains("XLEN\r\n")
          ? ":0\r\n-ERR The ID specified in XADD must be greater than 0-0\r\n+OK\r\n*0\r\n"
          : "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n$3\r\n1-1\r\n-\(error)\r\n$3\r\n1-2\r\n"
      } _: { port in
        let url = try RedisURL("redis://127.0.0.1:\(port)/stream", defaultStream: "x")
        let queue = try RedisQueue(
          store: RedisStore(url.server, certificateFile: nil), stream: url.stream, group: url.group,
          for: .adding, leaseDuration: QueueLease.duration)
        let rejection = Rejection(
          "message-too-large", detail: "Redis at 127.0.0.1:\(port) refuses: \(error)")
        let results = try await queue.send((0..<3).map { message($0) })
        #expect(results == [.sent, .rejected(rejection), .sent])
      }
    }
  }
#endif
