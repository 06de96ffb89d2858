import Queueing
import TestSupport
import Testing

@Suite("dequeue", .timeLimit(.minutes(5)))
struct DequeueTests {
  @Test(
    "dequeue and dead-letters get the messages that a killed process held",
    arguments: BrokerKind.products.filter(\.countsLeases))
  func afterKill(kind: BrokerKind) async throws {
    try await withWorkplace(kind) { place in
      let letters = ["a", "b", "c"].map { Message(id: $0, body: Array($0.utf8)) }
      let commands = [
        (["dequeue"], "a\nb\nc\n", ""),
        (["dead-letters", "replay", "c", "--to", place.url("incoming")], "", "1 message replayed"),
        (["dead-letters", "drop", "--all"], "", "2 messages dropped"),
      ]
      for (command, output, told) in commands {
        if command[0] == "dequeue" || command[1] == "replay" {
          try await place.queue("enriched").publish(letters)
        }
        // The process that holds these messages sends no signs of life any more.
        #expect(try await place.queue("enriched").receive(2, waitingUpTo: .zero)?.count == 2)
        let run = try await PushEnricher.run(command + ["--from", place.url("enriched")])
        #expect(run.termination == .exited(0), "\(run.standardError)")
        #expect(run.output.split(separator: "\n").sorted() == output.split(separator: "\n"))
        if !told.isEmpty { #expect(run.standardError == "push-enricher: \(told)\n") }
      }
      #expect(try await place.isEmpty("enriched"))
      #expect(try await place.contents("incoming").map(\.id) == ["c"])
    }
  }

  @Test("if the queue goes away, dequeue blames the queue and not stdout", arguments: BrokerKind.products)
  func away(kind: BrokerKind) async throws {
    try await withWorkplace(mortal: kind) { place, broker in
      // More than a pipe holds, so they cannot all be printed while the reader waits.
      try await place.queue("enriched").publish(
        (0..<100).map { Message(id: "m\($0)", body: [UInt8](repeating: 0x78, count: 4_000)) })
      let isAway = place.folder.path(of: "away")
      let script = #"""
        set -o pipefail
        "$0" dequeue --follow --from "$1" | { until [ -e "$2" ]; do sleep 0.05; done; cat >/dev/null; }
        """#
      async let run = Command("bash").run(
        ["-c", script, PushEnricher.path, place.url("enriched"), isAway], limit: .seconds(120))
      #expect(try await eventually { try await place.contents("enriched").count < 100 })
      try await broker.kill()
      try Files.write([], to: isAway)
      let ended = try await run
      #expect(ended.termination == .exited(69))
      #expect(ended.standardError.hasPrefix("push-enricher: --from "), "\(ended.standardError)")
    }
  }

  @Test("SIGTERM ends dequeue although nobody reads its output, and loses nothing")
  func fullPipe() async throws {
    try await withWorkplace(.sqlite) { place in
      let messages = (0..<100).map { Message(id: "m\($0)", body: [UInt8](repeating: 0x78, count: 4_000)) }
      try await place.queue("enriched").publish(messages)
      let pipe = place.folder.path(of: "pipe")
      let script = #"""
        mkfifo "$2"; sleep 120 < "$2" & reader=$!
        "$0" dequeue --follow --from "$1" > "$2" & writer=$!
        until [ -e "$2.full" ]; do sleep 0.05; done
        kill -TERM $writer; wait $writer; echo $?; kill $reader
        """#
      async let run = Command("bash").run(
        ["-c", script, PushEnricher.path, place.url("enriched"), pipe], limit: .seconds(60))
      #expect(try await eventually { try await place.contents("enriched").count < 100 })
      // Until the pipe is full.
      var left = 100
      while case let count = try await place.contents("enriched").count, count != left {
        left = count
        try await Task.sleep(for: .seconds(1))
      }
      try Files.write([], to: "\(pipe).full")
      #expect(try await run.output == "130\n")
      // The pipe holds 64 KB.
      #expect(try await eventually { try await place.contents("enriched").count >= 80 })
    }
  }
}
