import Queueing
import TestSupport
import Testing

@Suite("dequeue", .timeLimit(.minutes(5)))
struct DequeueTests {
  @Test("dequeue blames the queue and not stdout where the queue goes away", arguments: BrokerKind.products)
  func away(kind: BrokerKind) async throws {
    try await withWorkplace(mortal: kind) { place, broker in
      // Longer than a pipe: they cannot all be printed while nobody reads.
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
}
