import Enriching
import Misbehaving
import TestSupport
import Testing

@Suite("The configuration file")
struct ConfigurationFileTests {
  @Test("accepts arrays for repeatable options, numbers, and true and false") func kinds() async throws {
    try await withHostileServer { server in
      let config = """
        {"allow-port": [8443, \(server.port)], "allow-http": true, "require-all": false, "concurrency": 2,
         "allow-network": ["10.0.0.0/8", "127.0.0.1"], "media-key": ["a.b", "acme.hero"]}
        """
      let payload = Push.with(#""acme":{"hero":["\#(server.url(.serve(.photo)))","/nowhere.jpg"]}"#)
      let enriched = try await self.enrich(payload, config: config)
      #expect(enriched.run.termination == .exited(0))
      #expect(enriched.outcome == "enriched")
    }
  }

  @Test("can be named in the environment") func environment() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(Array(#"{"attachments-key": "media"}"#.utf8), to: "config.json")
      let enriched = try await CommandLineTests.enrich(
        Push.naming("https://media.example/a.jpg"), environment: ["PUSH_ENRICHER_CONFIG": path])
      expectUnmodified(enriched, .attachmentsKeyTaken)
    }
  }

  @Test(
    "accepts arrays for options that are lists with commas elsewhere",
    arguments: [
      (#""limits": ["video=1MB", "image=x"]"#, "limits in FILE: 'x' is not a number of bytes"),
      (#""write": ["attachments", "x"]"#, "write in FILE: 'x' is not a way to name stored files"),
      (#""name-servers": ["9.9.9.9", "x"]"#, "name-servers in FILE: 'x' is not a name server"),
    ])
  func list(member: String, says: String) async throws {
    let enriched = try await self.enrich(Push.naming("https://media.example/a.jpg"), config: "{\(member)}")
    #expect(enriched.line.contains(says), "\(enriched.run.standardError)")
  }

  static let mistakes = [
    #"{"deadlin": "2s"}"#: "there is no option 'deadlin'; the options are store, spool, public-url,",
    #"{"config": "other.json"}"#: "there is no option 'config'",
    #"{"deadline": "2s", "deadline": "3s"}"#: "FILE: 'deadline' is there twice; write it once,",
    #"{"deadline": 30}"#: "deadline in FILE: '30' is not a time: write one like 30s",
    #"{"deadline": null}"#: "FILE: 'deadline' must be a string, a number, true or false, or a list of them",
    #"{"attachments-key": ["a", "b"]}"#: "attachments-key in FILE: there are 2 values: write one",
    #"{"keys": []}"#: "keys in FILE: there are 0 values: write one",
    #"{"allow-http": "perhaps"}"#: "allow-http in FILE: 'perhaps' is neither true nor false",
    #"{"limits": {"audio": 1}}"#: "FILE: 'limits' must be a string, a number",
    #"{"allow-port": [443, [80]]}"#: "FILE: 'allow-port' must be a string, a number",
    "store: /srv/media": "is not JSON: line 1, column 1 (byte 0)",
    "": "is not JSON: line 1, column 1 (byte 0)",
    "[]": #"write a JSON object like {"store": "/srv/media"}"#,
  ]

  @Test(
    "ends the program with status 64 if it has a mistake, and the error says where",
    arguments: mistakes.keys.sorted())
  func mistake(config: String) async throws {
    let enriched = try await self.enrich(Push.naming("https://media.example/a.jpg"), config: config)
    #expect(enriched.run.termination == .exited(64))
    #expect(enriched.run.standardOutput == [])
    #expect(enriched.line.contains(try #require(Self.mistakes[config])), "\(enriched.run.standardError)")
  }

  /// In the output, the path of the file is replaced by FILE.
  private func enrich(_ payload: [UInt8], config: String) async throws -> Enriched {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(Array(config.utf8), to: "config.json")
      let enriched = try await CommandLineTests.enrich(payload, ["--config", path])
      var run = enriched.run
      run.standardError = run.standardError.replacing(path, with: "FILE")
      return Enriched(input: enriched.input, run: run, report: enriched.report, stored: enriched.stored)
    }
  }
}
