import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// Workers that are told to stop.
@Suite("Signals", .timeLimit(.minutes(5)))
struct SignalTests {
  @Test(
    "at SIGTERM, a busy worker finishes the payloads in flight and leaves the rest in the queue",
    arguments: BrokerKind.products,
    [SIGTERM, SIGINT])
  func stop(kind: BrokerKind, signal: Int32) async throws {
    try await withWorkplace(kind) { place in
      let errands = Errand.photos(0..<200, place.server, late: .milliseconds(300))
      try await place.publish(errands)
      let run = try await place.work(["--concurrency", "8"]) { worker in
        try await place.wait(for: 10, in: "enriched")
        #expect(kill(worker.process, signal) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")

      let results = try await place.contents("enriched")
      // No message waits for its lease to run out, and none counts as a crash.
      let again = try await place.takeAll(of: "incoming")
      #expect(again.allSatisfy { $0.attempt == 1 })
      let left = again.map(\.message)
      #expect(results.count >= 10)
      #expect(!left.isEmpty)
      let done = Set(results.map(\.id))
      expectEach(of: errands.filter { done.contains($0.message.id) }, once: results)
      // Messages that could not start have gone to the end.
      #expect(inOrder(left) == errands.map(\.message).filter { !done.contains($0.id) })
    }
  }

  @Test("SIGHUP, as from a terminal that is closed, stops a worker like SIGTERM")
  func hangup() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<100, place.server, late: .milliseconds(300))
      try await place.publish(errands)
      let run = try await place.work(["--concurrency", "8"]) { worker in
        try await place.wait(for: 10, in: "enriched")
        #expect(kill(worker.process, SIGHUP) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let done = Set(try await place.contents("enriched").map(\.id))
      let left = errands.map(\.message).filter { !done.contains($0.id) }
      #expect(!left.isEmpty)
      #expect(inOrder(try await place.takeAll(of: "incoming").map(\.message)) == left)
    }
  }

  @Test("SIGHUP does not stop a worker that was started with nohup") func nohup() async throws {
    try await withWorkplace(.sqlite) { place in
      let errands = Errand.photos(0..<40, place.server, late: .milliseconds(100))
      try await place.publish(errands)
      let words = [
        PushEnricher.path, "work", "--from", place.url("incoming"), "--to", place.url("enriched"),
        "--until-empty", "--concurrency", "1",
      ]
      let script = #"nohup "$@" >/dev/null & until [ -s "$0" ]; do sleep 0.05; done; kill -HUP $!; wait $!"#
      let log = place.folder.path(of: "log")
      let run = try await Command("sh").run(
        ["-c", "exec 2>\"$0\"; \(script)", log] + words + place.options, limit: .seconds(120))
      #expect(run.termination == .exited(0))
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("SIGTERM does not wait longer than the deadline", arguments: BrokerKind.products)
  func stopAtDeadline(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let silent = place.server.url(.silent)
      let errands = (0..<8).map { Errand($0, naming: silent, .unanswered) }
      try await place.publish(errands)
      let run = try await place.work(["--deadline", "5s"]) { worker in
        // All of them are in flight. On a busy machine, they may be taken one by one.
        #expect(await eventually { place.server.tally(of: .silent).requests == 8 })
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("SIGTERM does not wait forever for a queue that is away, and loses nothing there", .namesBrokers)
  func stopWithoutQueue() async {
    await withEachProduct { kind in
      try await withWorkplace(mortal: kind) { place, broker in
        let silent = place.server.url(.silent)
        let errands = (0..<8).map { Errand($0, naming: silent, .unanswered) }
        try await place.publish(errands)
        // The deadline is longer than it takes to kill RabbitMQ, which first writes the names of its queues
        // to the disk.
        let run = try await place.work(["--deadline", "15s"]) { worker in
          // All of them are in flight, so the messages that go back keep their order.
          #expect(await eventually { place.server.tally(of: .silent).requests == 8 })
          try await broker.kill()
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(69))
        let last = run.told.last ?? ""
        #expect(last.hasPrefix("push-enricher: \(broker.name) "), "\(last)")
        try await broker.restart()
        // They may be in any order: some went back before the outage, and the others after it. RabbitMQ shows
        // them a moment after its start.
        #expect(
          try await eventually {
            try await place.contents("incoming").sorted { $0.id < $1.id } == errands.map(\.message)
          })
        #expect(try await place.isEmpty("enriched"))
      }
    }
  }

  #if Redis
    @Test("any signal ends a worker at once while it waits for its queues, and nothing was taken")
    func stopWhileWaiting() async throws {
      try await withWorkplace(mortal: .redis) { place, broker in
        let errands = Errand.photos(0..<1, place.server, late: .zero)
        try await place.publish(errands)
        try await broker.withOutage {
          for signal in [SIGTERM, SIGINT, SIGHUP] {
            let run = try await place.work(["--wait-for-queues", "240s"]) { worker in
              #expect(await eventually { worker.log.contains(Self.waiting) })
              #expect(kill(worker.process, signal) == 0)
            }
            #expect(run.termination == .exited(0), "\(run.standardError)")
            #expect(run.told.last == "push-enricher: told to stop before anything was taken")
          }
        }
        #expect(try await place.takeAll(of: "incoming").map(\.message) == errands.map(\.message))
        #expect(try await place.isEmpty("enriched"))
      }
    }

    /// Runs the worker as the first process of a container if this user may make one.
    @Test("SIGTERM also ends a waiting worker that is the first process of a container")
    func firstWhileWaiting() async throws {
      try await withWorkplace(.sqlite) { place in
        let away = "redis://127.0.0.1:\(freePort())/incoming"
        let words = [
          PushEnricher.path, "work", "--from", away, "--to", place.url("enriched"), "--wait-for-queues",
          "240s",
        ]
        let script = #"""
          log=$1 waiting=$2; shift 2
          if unshare --pid --fork true 2>/dev/null; then set -- unshare --pid --fork "$@"; fi
          "$@" 2>"$log" & until grep -q "$waiting" "$log"; do sleep 0.05; done
          inside=$(cat /proc/$!/task/$!/children)
          kill ${inside:-$!}; wait $!
          """#
        let log = place.folder.path(of: "log")
        var run = try await Command("sh").run(
          ["-c", script, "sh", log, Self.waiting] + words + place.options, limit: .seconds(120))
        run.standardError = String(decoding: try Files.read(log), as: UTF8.self)
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(run.told.last == "push-enricher: told to stop before anything was taken")
      }
    }

    private static let waiting = "a queue is away, waiting for it"
  #endif

  @Test("SIGTERM ends a worker whose results are not read, and leaves its payloads for the next worker")
  func stopWithoutReader() async throws {
    try await withWorkplace(.sqlite) { place in
      // Twice as much as a pipe holds.
      let errands = (0..<32).map {
        Errand($0, naming: "http://10.0.0.1/a.jpg", size: 3_500, .unmodified("address-blocked"))
      }
      try await place.publish(errands)
      let pipe = place.folder.path(of: "results")
      let words = [
        PushEnricher.path, "work", "--from", place.url("incoming"), "--to", "-", "--deadline", "1s",
      ]
      let script = #"mkfifo "$0" && exec 3<>"$0" && echo $$ >"$0.pid" && exec "$@" >"$0""#
      async let run = Command("sh").run(
        ["-c", script, pipe] + words + place.options, environment: ["PUSH_ENRICHER_LEASE": "1s"],
        limit: .seconds(120))
      #expect(try await eventually { try await place.contents("incoming").count <= 20 })
      let process = String(decoding: try Files.read("\(pipe).pid").dropLast(), as: UTF8.self)
      #expect(kill(try #require(pid_t(process)), SIGTERM) == 0)
      #expect(try await run.termination == .exited(69))
      #expect(
        try await run.told.last?.hasPrefix("push-enricher: told to stop, and no result has been taken for ")
          == true)

      let left = try await place.contents("incoming").map(\.id)
      #expect(!left.isEmpty)
      let others = errands.filter { left.contains($0.message.id) }
      try await place.finish(others)
      expectEach(of: others, once: try await place.contents("enriched"))
    }
  }

  @Test("a worker continues when its queue comes back", .namesBrokers) func outage() async {
    await withEachProduct { kind in
      try await withWorkplace(mortal: kind) { place, broker in
        // However long it takes to kill the broker, the worker is not done before that.
        let latch = Latch()
        let errands = Errand.photos(0..<40, place.server, heldBy: latch, after: 8)
        try await place.publish(errands)
        let run = try await place.work(["--concurrency", "4", "--until-empty"]) { worker in
          try await place.wait(for: 4, in: "enriched")
          try await broker.withOutage {
            latch.open()
            #expect(await worker.hasSpokenAgain())
          }
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, in: try await place.contents("enriched"), of: kind)
      }
    }
  }

  @Test(
    "payloads whose deadline passes while their queue is away are published when it is back", .namesBrokers)
  func deadlineInOutage() async {
    await withEachProduct { kind in
      try await withWorkplace(mortal: kind) { place, broker in
        let silent = place.server.url(.silent)
        let errands = (0..<8).map { Errand($0, naming: silent, .unanswered) }
        try await place.publish(errands)
        // As long as above: RabbitMQ may need some seconds until it is killed.
        let run = try await place.work(["--deadline", "15s"]) { worker in
          #expect(await eventually { place.server.tally(of: .silent).requests >= 1 })
          try await broker.withOutage {
            #expect(await eventually { worker.log.contains("a result cannot be published") })
          }
          try await place.wait(for: errands)
          #expect(kill(worker.process, SIGTERM) == 0)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        expectEach(of: errands, in: try await place.contents("enriched"), of: kind)
        #expect(try await place.isEmpty("incoming"))
      }
    }
  }

  @Test(
    "a second signal ends a worker at once, and the next worker does the work", arguments: BrokerKind.products
  )
  func second(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let silent = place.server.url(.silent)
      let errands = (0..<8).map { Errand($0, naming: silent, .unanswered) }
      try await place.publish(errands)
      let run = try await place.work([]) { worker in
        #expect(await eventually { place.server.tally(of: .silent).requests >= 1 })
        #expect(kill(worker.process, SIGTERM) == 0)
        // The kernel merges signals that come together, so this repeats them until it has seen two.
        #expect(await eventually { kill(worker.process, SIGTERM) != 0 })
      }
      #expect(run.termination == .exited(130))
      #expect(try await place.isEmpty("enriched"))
      // With RabbitMQ, looking at the queue would count as a crash.
      if kind.forgetsReleases { #expect(try await place.contents("incoming") == errands.map(\.message)) }

      try await place.finish(errands, ["--deadline", "1s"])
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test(
    "SIGTERM ends dequeue --follow, and the next reader gets the messages that it has not written",
    arguments: BrokerKind.products)
  func dequeue(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let errands = (0..<300).map { Errand($0, naming: "http://10.0.0.1/", size: 4_000, .enriched("")) }
      try await place.publish(errands)
      let words = [PushEnricher.path, "dequeue", "--follow", "--from", place.url("incoming")]
      // Its reader takes a line at a time. The pipe stays full until long after the signal, which
      // comes after the first line.
      let script = """
        first=$1; shift
        exec 3> >(while read -r; do : >"$first"; sleep 0.02; done)
        "$@" >&3 & until [ -e "$first" ]; do sleep 0.02; done; kill $!; wait $!
        """
      let run = try await Command("bash").run(
        ["-c", script, "bash", place.folder.path(of: "first")] + words)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let left = try await place.takeAll(of: "incoming")
      #expect(!left.isEmpty)
      #expect(left.map(\.message) == errands.suffix(left.count).map(\.message))
      if kind.forgetsReleases { #expect(left.allSatisfy { $0.attempt == 1 }) }
    }
  }

  /// Sorts messages by their numbers.
  private func inOrder(_ messages: [Message]) -> [Message] {
    messages.sorted { ($0.id.count, $0.id) < ($1.id.count, $1.id) }
  }
}
