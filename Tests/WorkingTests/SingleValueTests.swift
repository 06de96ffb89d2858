import TestSupport
import Testing

@Suite("Two values of an option that takes one", .timeLimit(.minutes(5)))
struct SingleValueTests {
  static let readers: [(option: String, command: [String])] = [
    ("store", ["enrich"]), ("store", ["work"]), ("store", ["store", "prune", "--older-than", "1d"]),
    ("from", ["work"]), ("from", ["enqueue"]), ("to", ["dequeue"]),
    ("dead-letters", ["dead-letters", "list"]),
    ("ca-file", ["dequeue"]), ("until-empty", ["work"]), ("wait-for-queues", ["work"]),
    ("when-store-fails", ["work"]), ("status", ["work"]),
    ("status", ["healthcheck"]),
  ]

  @Test("are refused by each command that has the option", arguments: readers)
  func isRefused(option: String, command: [String]) async throws {
    try await withTemporaryDirectory { folder in
      let config = try folder.write(Array(#"{"\#(option)": ["1", "2"]}"#.utf8), to: "config.json")
      let run = try await PushEnricher.run(command + ["--config", config])
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError == "push-enricher: \(option) in \(config): there are 2 values: write one\n")
    }
  }
}
