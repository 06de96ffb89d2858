import Glibc
import Queueing
import TestSupport
import Testing

/// Workers that are told to stop.
@Suite("Signals", .timeLimit(.minutes(3)))
struct SignalTests {
  @Test("SIGTERM under load: what is in flight is finished, the rest stays", arguments: [SIGTERM, SIGINT])
  func stop(signal: Int32) async throws {
    try await withWorkplace { place in
      let errands = Errand.photos(0..<200, place.server, late: .milliseconds(300))
      try await place.publish(errands)
      let run = try await place.work(["--concurrency", "8"]) { process in
        try await place.wait(for: 10, in: "enriched")
        #expect(kill(process, signal) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")

      let results = try await place.contents("enriched")
      let left = try await place.contents("incoming")
      #expect(results.count >= 10)
      #expect(!left.isEmpty)
      let done = Set(results.map(\.id))
      expectEach(of: errands.filter { done.contains($0.message.id) }, once: results)
      #expect(left == errands.map(\.message).filter { !done.contains($0.id) })
      // Nothing waits for a lease to run out, and nothing counts as a crash.
      let again = try await place.queue("incoming").receive(1_000, patience: .zero)
      #expect(again?.map(\.message) == left)
      #expect(again?.allSatisfy { $0.attempt == 1 } == true)
    }
  }

  @Test("SIGTERM does not wait longer than the deadline")
  func stopAtDeadline() async throws {
    try await withWorkplace { place in
      let silent = place.server.url(.silent)
      let errands = (0..<8).map { Errand($0, naming: silent, .unmodified("deadline-exceeded")) }
      try await place.publish(errands)
      let run = try await place.work(["--deadline", "2s"]) { process in
        #expect(await eventually { place.server.tally(of: .silent).requests == 8 })
        #expect(kill(process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("SIGTERM does not wait for ever for a queue that is away, and loses nothing there")
  func stopWithoutQueue() async throws {
    try await withWorkplace { place in
      let silent = place.server.url(.silent)
      let errands = (0..<8).map { Errand($0, naming: silent, .unmodified("deadline-exceeded")) }
      try await place.publish(errands)
      let away = place.folder.path(of: "away.db")
      let run = try await place.work(["--deadline", "2s"]) { process in
        #expect(await eventually { place.server.tally(of: .silent).requests == 8 })
        #expect(unsafe rename(place.database, away) == 0)
        #expect(kill(process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(69))
      #expect(
        run.standardError.hasSuffix(
          "push-enricher: \(place.database) was moved or removed while it was in use: "
            + "put it back, and it goes on by itself\n"))
      #expect(unsafe rename(away, place.database) == 0)
      #expect(try await place.contents("incoming") == errands.map(\.message))
      #expect(try await place.contents("enriched").isEmpty)
    }
  }

  @Test("a queue that comes back is worked on again")
  func outage() async throws {
    try await withWorkplace { place in
      let errands = Errand.photos(0..<40, place.server, late: .milliseconds(200))
      try await place.publish(errands)
      let away = place.folder.path(of: "away.db")
      let run = try await place.work(["--concurrency", "4", "--until-empty"]) { process in
        try await place.wait(for: 4, in: "enriched")
        #expect(unsafe rename(place.database, away) == 0)
        try await Task.sleep(for: .milliseconds(700))
        #expect(unsafe rename(away, place.database) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      #expect(run.standardError.contains("put it back, and it goes on by itself"))
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("a second signal ends it at once, and the next worker does the work")
  func second() async throws {
    try await withWorkplace { place in
      let silent = place.server.url(.silent)
      let errands = (0..<8).map { Errand($0, naming: silent, .unmodified("deadline-exceeded")) }
      try await place.publish(errands)
      let run = try await place.work([]) { process in
        #expect(await eventually { place.server.tally(of: .silent).requests == 8 })
        #expect(kill(process, SIGTERM) == 0)
        // Two that come together are one to the kernel.
        try await Task.sleep(for: .milliseconds(300))
        #expect(kill(process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(130))
      #expect(try await place.contents("enriched").isEmpty)
      #expect(try await place.contents("incoming") == errands.map(\.message))

      #expect(try await place.work(["--until-empty", "--deadline", "1s"]).termination == .exited(0))
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("SIGTERM ends dequeue --follow, and what it has not written is there for the next")
  func dequeue() async throws {
    try await withWorkplace { place in
      let errands = (0..<300).map { Errand($0, naming: "http://10.0.0.1/", size: 4_000, .enriched("")) }
      try await place.publish(errands)
      let words = [PushEnricher.path, "dequeue", "--follow", "--from", place.url("incoming")]
      // Its reader takes a line and sleeps: the pipe is full long before the end, until the signal is there.
      let run = try await Command("bash").run(
        [
          "-c", #"exec 3> >(head -n 1; sleep 1; exec cat); "$@" >&3 & sleep 0.7; kill $!; wait $!"#, "bash",
        ] + words)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let left = try await place.queue("incoming").receive(1_000, patience: .zero) ?? []
      #expect(!left.isEmpty)
      #expect(left.map(\.message) == errands.suffix(left.count).map(\.message))
      #expect(left.allSatisfy { $0.attempt == 1 })
    }
  }
}
