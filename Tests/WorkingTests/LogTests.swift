import Glibc
import Notifications
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

  #if Redis
    @Test("a full disk under the log tears no line but one, and what it dropped is counted")
    func fullDisk() async throws {
      try await withWorkplace(.redis) { place in
        @Sendable func publish(_ numbers: Range<Int>) async throws {
          let errands = numbers.map { Errand($0, #"{"aps":{"alert":"\#($0)"}}"#, .unmodified("not-mutable")) }
          try await place.publish(errands)
          try await place.wait(for: numbers.upperBound, in: "enriched")
        }
        let run = try await place.work([]) { worker in
          try await publish(0..<20)
          #expect(await eventually { worker.log.matches(of: #/"outcome":/#).count == 20 })
          // In the middle of a line.
          try await Command.limitFiles(of: worker.process, to: worker.logLength + 500)
          try await publish(20..<60)
          try await Command.limitFiles(of: worker.process, to: nil)
          try await publish(60..<80)
          _ = kill(worker.process, SIGTERM)
        }
        #expect(run.termination == .exited(0))
        let lines = run.standardError.split(separator: "\n")
        let torn = lines.filter { (try? JSONDocument(Array($0.utf8))) == nil }
        #expect(torn.count == 1 && torn[0].hasPrefix("{") && !torn[0].hasSuffix("}"), "\(torn)")
        let told = lines.filter { $0.hasSuffix("}") && $0.contains(#""outcome":"#) }.count
        let dropped = lines.compactMap { $0.firstMatch(of: #/"lines":"(\d+)"/#).flatMap { Int($0.output.1) } }
        #expect(!dropped.isEmpty)
        #expect(told + dropped.reduce(0, +) == 80, "\(told) \(dropped)")
      }
    }
  #endif
}
