import TestSupport
import Testing

/// A pipe can be read only once. Users pass `--config <(…)` from a shell, and secrets that are
/// never on a disk.
@Suite("Options that come through pipes", .timeLimit(.minutes(5)))
struct PipedOptionsTests {
  /// Makes a pipe for the file of options and one for the file of each URL.
  private static let script = #"""
    config=$1 from=$2 to=$3 letters=$4
    shift 4
    PUSH_ENRICHER_FROM_FILE=<(echo "$from") PUSH_ENRICHER_TO_FILE=<(echo "$to") \
      PUSH_ENRICHER_DEAD_LETTERS_FILE=<(echo "$letters") exec "$0" "$@" --config <(echo "$config")
    """#

  @Test("are read once by each command") func once() async throws {
    try await withTemporaryDirectory { folder in
      let queues = ["from", "to", "letters"].map { "sqlite:\(folder.path)/q.db?queue=\($0)" }
      let options = #"{"store": "\#(folder.path)", "until-empty": true}"#
      func run(
        _ arguments: [String], _ input: String = "", config: String = options, status: Int32 = 0
      ) async throws -> Run {
        let run = try await Command("bash").run(
          ["-c", Self.script, PushEnricher.path, config] + queues + arguments, input: Array(input.utf8))
        #expect(run.termination == .exited(status), "\(arguments): \(run.standardError)")
        return run
      }
      let payload = #"{"aps":{"alert":"Hi"}}"#
      #expect(try await run(["enrich"], payload).output == payload)
      _ = try await run(["enqueue"], "[1]\n")
      _ = try await run(["work"])
      #expect(try await run(["dequeue"]).output == "[1]\n")
      let list = try await run(["dead-letters", "list"]).output
      let id = String(try #require(list.split(separator: " ").first))
      #expect(try await run(["dead-letters", "show", id]).output == "[1]")
      #expect(
        try await run(["dead-letters", "replay", id]).standardError.hasSuffix(": 1 message replayed\n"))
      #expect(
        try await run(["dead-letters", "drop", "--all"]).standardError.hasSuffix(": 0 messages dropped\n"))
      _ = try await run(["store", "prune", "--older-than", "1d"])
      let health = try await run(["healthcheck"], config: #"{"status": "127.0.0.1:1"}"#, status: 1)
      #expect(health.standardError.contains("127.0.0.1:1"))
    }
  }
}
