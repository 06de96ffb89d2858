import Enriching
import Misbehaving
import TestSupport
import Testing

@Suite("An option with several sources")
struct PrecedenceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let commandLine, environment, file: String?
    let winner: String

    var testDescription: String { "\(commandLine ?? "-") \(environment ?? "-") \(file ?? "-")" }
  }

  static let rows: [Row] = [
    Row(commandLine: "c", environment: "e", file: "f", winner: "c"),
    Row(commandLine: "c", environment: "e", file: nil, winner: "c"),
    Row(commandLine: "c", environment: nil, file: "f", winner: "c"),
    Row(commandLine: "c", environment: nil, file: nil, winner: "c"),
    Row(commandLine: nil, environment: "e", file: "f", winner: "e"),
    Row(commandLine: nil, environment: "e", file: nil, winner: "e"),
    Row(commandLine: nil, environment: nil, file: "f", winner: "f"),
    Row(commandLine: nil, environment: nil, file: nil, winner: "attachments"),
  ]

  @Test(
    "is taken from the command line first, then from the environment, then from the file", arguments: rows)
  func order(row: Row) async throws {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        let file = #"{\#(row.file.map { #""attachments-key":"\#($0)""# } ?? "")}"#
        let config = try folder.write(Array(file.utf8), to: "config.json")
        let environment = row.environment.map { ["PUSH_ENRICHER_ATTACHMENTS_KEY": $0] } ?? [:]
        let enriched = try await enrich(
          Push.naming(server.url(.serve(.photo))),
          reaching(server.port) + ["--config", config]
            + (row.commandLine.map { ["--attachments-key", $0] } ?? []),
          environment: environment)
        #expect(enriched.run.output.contains(#","\#(row.winner)":[{"#), "\(enriched.run.output)")
      }
    }
  }

  @Test("is taken from one source only, even if it is repeatable") func repeatable() async throws {
    try await withHostileServer { server in
      let payload = Push.naming(server.url(.serve(.photo)))
      let environment = ["PUSH_ENRICHER_ALLOW_PORT": "1,\(server.port)"]
      let options = ["--allow-http", "--allow-network", "127.0.0.1"]
      #expect(try await enrich(payload, options, environment: environment).outcome == "enriched")
      let overruled = try await enrich(payload, options + ["--allow-port", "1"], environment: environment)
      expectUnmodified(overruled, .portNotAllowed)
    }
  }
}
