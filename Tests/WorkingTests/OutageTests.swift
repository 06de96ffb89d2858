import BuiltInQueueing
import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Brokers that are killed at any time, and come back. Tests that mostly wait run all at once.
@Suite("Outages", .timeLimit(.minutes(30)))
struct OutageTests {
  /// `PUSH_ENRICHER_OUTAGES` sets another number.
  private static let outages =
    unsafe getenv("PUSH_ENRICHER_OUTAGES").flatMap { Int(unsafe String(cString: $0)) } ?? 3

  private static let failedLetters = [
    "messaging_system": "sqlite", "messaging_destination_name": "dead-letters", "error_type": "unavailable",
  ]

  @Test("a broker that is killed again and again under a worker loses nothing", .namesBrokers)
  func ledger() async {
    await withEachProduct { kind in
      try await withWorkplace(mortal: kind) { place, broker in
        let errands = Errand.mixed(Self.outages * 60, place.server)
        let run = try await place.work(["--concurrency", "8"], limit: .seconds(120 + 60 * Self.outages)) {
          worker in
          for outage in 0..<Self.outages {
            let batch = outage * 60..<(outage + 1) * 60
            try await place.publish(errands[batch])
            // In the middle of the batch.
            try await place.wait(for: batch.lowerBound + Int.random(in: 1..<30), in: "enriched")
            try await broker.withOutage {
              #expect(await worker.hasSpokenAgain())
              try await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
            }
          }
          try await place.wait(for: errands)
          // Messages whose acknowledgments an outage has swallowed come again.
          let incoming = try place.queue("incoming")
          #expect(try await eventually { try await incoming.backlog?.waiting == 0 })
          #expect(await worker.takesAgain())
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, in: try await place.contents("enriched"), of: kind)
        expectEach(of: errands.filter(\.isDeadLetter), in: try await place.contents("dead-letters"), of: kind)
        #expect(try await place.isEmpty("incoming"))
      }
    }
  }

  @Test(
    "while dead letters cannot be written, the payloads that belong there wait, and are published once",
    .namesBrokers)
  func deadLetters() async {
    await withEachProduct { kind in
      try await withWorkplace(kind) { place in
        let photos = Errand.photos(0..<1, place.server, late: .zero)
        let errands = photos + [Errand(1, "[1]", .unmodified("invalid-payload"))]
        let file = place.folder.path(of: "dead.db")
        let letters = "sqlite:\(file)?queue=dead-letters"
        try await place.publish(errands[..<1])
        let run = try await place.work(["--dead-letters", letters]) { worker in
          try await place.wait(for: 1, in: "enriched")
          #expect(unsafe rename(file, "\(file)-away") == 0)
          try await place.publish(errands[1...])
          // It has retried more than once.
          #expect(await eventually { worker.log.contains(#""times":""#) })
          #expect(try await place.contents("enriched").count == 1)
          #expect(unsafe rename("\(file)-away", file) == 0)
          try await place.wait(for: errands)
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, once: try await place.contents("enriched"))
        let dead = try Queues().open(letters, defaultQueue: "x")
        expectEach(of: Array(errands[1...]), once: try await dead.browse(10))
      }
    }
  }

  @Test(
    "dead letters that cannot be written do not hold up other payloads", .namesBrokers,
    arguments: ["invalid-payload", "poison"])
  func behindDeadLetters(reason: String) async {
    await withEachProduct { kind in
      try await withWorkplace(kind) { place in
        // Many more messages than places.
        let bad = (0..<100).map { Errand($0, "[\($0)]", .unmodified(reason)) }
        let good = Errand.photos(100..<110, place.server, late: .zero)
        let file = place.folder.path(of: "dead.db")
        let letters = "sqlite:\(file)?queue=dead-letters"
        let options = ["--dead-letters", letters, "--concurrency", "4", "--status", "127.0.0.1:0"]
        let run = try await place.work(options) { worker in
          let origin = try await worker.statusOrigin()
          #expect(unsafe rename(file, "\(file)-away") == 0)
          // These messages look like messages that have killed three workers and are back at the end of their
          // queue.
          let crashes = reason == "poison" ? [Header(Message.crashHeader, "3")] : []
          let messages = bad.map {
            Message(id: $0.message.id, body: $0.message.body, headers: $0.message.headers + crashes)
          }
          try await place.queue("incoming").publish(messages)
          try await place.publish(good)
          try await place.wait(for: good)
          let ids = try await place.contents("enriched").map(\.id)
          #expect(Set(ids) == Set(good.map(\.message.id)))
          let metrics = try await Exposition(String(fetch(origin, "/metrics").dropLast(3)))
          let failures = metrics.sum("messaging_client_sent_messages_total", ["error_type": "unavailable"])
          #expect(failures >= 1)
          #expect(
            metrics.sum("messaging_client_sent_messages_total", Self.failedLetters) == failures)
          #expect(unsafe rename("\(file)-away", file) == 0)
          try await place.wait(for: bad)
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: bad + good, in: try await place.contents("enriched"), of: kind)
        let dead = try Queues().open(letters, defaultQueue: "x")
        expectEach(of: bad, in: try await dead.browse(1_000), of: kind)
      }
    }
  }

  @Test("if a message cannot be given back, the worker says that it stays until the process ends")
  func lastingLease() async throws {
    try await withWorkplace(mortal: .sqlite) { place, broker in
      let latch = Latch()
      let held = place.server.url(.held(by: latch, .serve(.file("photo.jpg", "image/jpeg"))))
      let errands =
        Errand.photos(0..<1, place.server, late: .zero) + [Errand(1, naming: held, .enriched("public.jpeg"))]
      try await place.publish(errands)
      let run = try await place.work(["--deadline", "6s"]) { worker in
        try await place.wait(for: 1, in: "enriched")
        try await broker.kill()
        latch.open()
        #expect(await eventually { worker.log.contains("a result cannot be published, trying again") })
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      try await broker.restart()
      #expect(run.termination == .exited(69), "\(run.standardError)")
      #expect(
        run.standardError.contains(
          "a result cannot be published, its message is handed out again when this process has ended"))
      #expect(!run.standardError.contains("is given back"))
      #expect(try await place.contents("incoming").map(\.id) == ["m1"])
    }
  }

  #if Redis
    @Test("a refused dead letter is reported as such even if the results are in the same Redis")
    func sameRedis() async throws {
      try await withWorkplace(mortal: .redis) { place, broker in
        let server = try #require(broker as? RedisServer)
        let errands = Errand.photos(0..<1, place.server, late: .zero)
        try await place.publish(errands)
        let run = try await place.work([]) { _ in
          try await place.wait(for: 1, in: "enriched")
          try await server.command(["SET", "dead-letters", "text"])
          try await place.publish([Errand(1, "[1]", .unmodified("invalid-payload"))])
        }
        #expect(run.standardError.contains("a dead letter cannot be published, its message is given back"))
        #expect(try await place.contents("incoming").map(\.id) == ["m1"])
      }
    }
  #endif

  @Test("a full disk of a broker loses nothing, and the work goes on once there is space", .namesBrokers)
  func fullDisk() async {
    await withEachProduct { kind in
      try await withWorkplace(mortal: kind) { place, broker in
        let errands = Errand.photos(0..<200, place.server, late: .milliseconds(300))
        try await place.publish(errands)
        let run = try await place.work(["--concurrency", "8"]) { worker in
          try await place.wait(for: 10, in: "enriched")
          // The worker is stopped, so that it does not finish meanwhile.
          #expect(kill(worker.process, SIGSTOP) == 0)
          try await broker.fillDisk(of: worker.process)
          #expect(kill(worker.process, SIGCONT) == 0)
          #expect(await eventually { worker.log.contains("trying again") })
          try await broker.freeDisk(of: worker.process)
          try await place.wait(for: errands)
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, in: try await place.contents("enriched"), of: kind)
        #expect(try await place.isEmpty("incoming"))
      }
    }
  }
}
