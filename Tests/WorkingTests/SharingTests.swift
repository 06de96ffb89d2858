import Glibc
import Misbehaving
import Queueing
import Synchronization
import TestSupport
import Testing

/// Several workers on one queue.
@Suite("Several workers", .timeLimit(.minutes(5)))
struct SharingTests {
  @Test(
    "several workers share the work, and no payload is enriched twice", arguments: BrokerKind.products,
    [2, 4])
  func sharing(kind: BrokerKind, count: Int) async throws {
    try await withWorkplace(kind) { place in
      let errands = Errand.photos(0..<4_000, place.server, late: .milliseconds(20))
      let published = Mutex(0)
      let runs = try await run(count, at: place) { workers in
        // Publishes until each worker has had some messages. A worker may start late.
        let outcome = #""outcome":""#
        for batch in 0..<400 where batch < 10 || workers.contains(where: { !$0.log.contains(outcome) }) {
          try await place.publish(errands[batch * 10..<(batch + 1) * 10])
          published.withLock { $0 = (batch + 1) * 10 }
          try await Task.sleep(for: .milliseconds(20))
        }
        try await place.wait(for: published.withLock { $0 }, in: "enriched")
        for worker in workers { #expect(kill(worker.process, SIGTERM) == 0) }
      }
      #expect(runs.allSatisfy { $0.termination == .exited(0) })
      let done = runs.map {
        $0.standardError.split(separator: "\n").filter { $0.contains(#""outcome":""#) }.count
      }
      #expect(done.reduce(0, +) == published.withLock { $0 })
      #expect(done.allSatisfy { $0 > 0 }, "\(done)")
      expectEach(
        of: Array(errands.prefix(published.withLock { $0 })), once: try await place.contents("enriched"))
    }
  }

  @Test("no worker takes more messages than it can start at once") func batches() async throws {
    try await withWorkplace(mortal: .redis) { place, broker in
      let redis = try #require(broker as? RedisServer)
      try await place.publish(Errand.photos(0..<200, place.server, late: .milliseconds(20)))
      try await redis.command(["CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "100000"])
      #expect(try await place.work(["--until-empty"]).termination == .exited(0))
      let words = try await redis.command(["SLOWLOG", "GET", "-1"]).split(separator: "\n")
      // EVALSHA of RedisScript.receive: hash, one key, group, consumer, the most messages, the most bytes.
      let room = "\(MessageLimits.maximumBatchSize)"
      let limits = words.indices.filter { words[$0] == "EVALSHA" }
        .map { Array(words[$0...].prefix(8)) }
        .filter { $0.count == 8 && $0[7] == room }.compactMap { Int($0[6]) }
      #expect(limits.max() == 16)
    }
  }

  @Test("the others finish the work of a worker that is killed", arguments: BrokerKind.products)
  func oneKilled(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let errands = Errand.photos(0..<120, place.server, late: .milliseconds(100))
      try await place.publish(errands)
      // The worker takes four messages while it is alone, and is killed at the last one.
      let fault = ["PUSH_ENRICHER_FAULT": "enriched", "PUSH_ENRICHER_FAULT_SKIPS": "3"]
      async let killed = place.work(["--concurrency", "4"], environment: fault)
      let photo = Behaviour.late(by: .milliseconds(100), .serve(.file("photo.jpg", "image/jpeg")))
      #expect(await eventually { place.server.tally(of: photo).requests >= 4 })
      async let one = place.work(["--until-empty", "--concurrency", "4"])
      async let other = place.work(["--until-empty", "--concurrency", "4"])
      #expect(try await killed.termination == .signalled(SIGKILL))
      #expect(try await one.termination == .exited(0))
      #expect(try await other.termination == .exited(0))
      if !kind.settlesAtOnce { try await place.finish(errands) }
      expectEach(of: errands, in: try await place.contents("enriched"), of: kind)
      #expect(try await place.isEmpty("incoming"))
    }
  }

  /// Runs `count` workers at once, and `body` while they work.
  private func run(
    _ count: Int, at place: Workplace, started: [RunningWorker] = [],
    _ body: @Sendable ([RunningWorker]) async throws -> Void
  ) async throws -> [Run] {
    guard count > 0 else {
      try await body(started)
      return []
    }
    let others = Mutex<[Run]>([])
    let own = try await place.work(["--concurrency", "4"]) { worker in
      let runs = try await run(count - 1, at: place, started: started + [worker], body)
      others.withLock { $0 = runs }
    }
    return others.withLock { $0 } + [own]
  }
}
