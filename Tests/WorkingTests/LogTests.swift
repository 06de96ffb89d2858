import Glibc
import Queueing
import TestSupport
import Testing

/// What a worker tells of its work, and that it does not wait for anybody to hear it.
@Suite("Logs", .timeLimit(.minutes(3)))
struct LogTests {
  @Test("a log that nobody reads stops no work, and tells what it has dropped")
  func unread() async throws {
    try await withWorkplace(.sqlite) { place in
      // More lines than a pipe holds, and more than the worker keeps.
      let errands = (0..<1_500).map { number in
        Errand(number, #"{"aps":{"alert":"\#(number)"}}"#, .unmodified("not-mutable"))
      }
      try await place.publish(errands)
      let pipe = place.folder.path(of: "log")
      let words = [PushEnricher.path, "work", "--from", place.url("incoming"), "--to", place.url("enriched")]
      let script = #"echo $$ >"$0.pid" && mkfifo "$0" && exec 3<>"$0" && exec "$@" 2>"$0""#
      async let run = Command("sh").run(
        ["-c", script, pipe] + words + place.options, limit: .seconds(120))
      try await place.wait(for: errands)
      let notice = try await Command("grep").run(["-m1", "were dropped", pipe], limit: .seconds(60))
      let process = String(decoding: try Files.read("\(pipe).pid").dropLast(), as: UTF8.self)
      #expect(kill(try #require(pid_t(process)), SIGTERM) == 0)
      #expect(try await run.termination == .exited(0))

      let line = String(decoding: notice.standardOutput, as: UTF8.self)
      #expect(line.contains(#""level":"warning""#) && line.contains(#""lines":"#), "\(line)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }

  @Test("a queue that is away is told now and then, with a message that waits, and when it is back")
  func away() async throws {
    try await withWorkplace(mortal: .sqlite) { place, broker in
      let errands = Errand.photos(0..<100, place.server, late: .milliseconds(300))
      try await place.publish(errands)
      let run = try await place.work(["--concurrency", "8", "--status", "127.0.0.1:0"]) { worker in
        let origin = try await worker.statusOrigin()
        try await place.wait(for: 4, in: "enriched")
        try await broker.withOutage {
          let failed = ["error_type": "unavailable"]
          let isTriedOften = try await eventually {
            let metrics = try Exposition(String(try await fetch(origin, "/metrics").dropLast(3)))
            return metrics.sum("messaging_client_sent_messages_total", failed) >= 60
          }
          #expect(isTriedOften)
          let lines = worker.log.split(separator: "\n").filter { $0.contains("a result cannot be published") }
          #expect((1...6).contains(lines.count), "\(lines)")
          #expect(lines.allSatisfy { $0.contains(#","id":"m"#) }, "\(lines)")
        }
        try await place.wait(for: errands)
        #expect(worker.log.contains("results can be published again"))
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      expectEach(of: errands, once: try await place.contents("enriched"))
    }
  }
}
