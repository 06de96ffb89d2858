import Enriching
import Misbehaving
import TestSupport
import Testing

@Suite("A wrong value in the environment")
struct VariableTests {
  static let mistakes = [
    ("PUSH_ENRICHER_DEADLINE", "soon", "PUSH_ENRICHER_DEADLINE: 'soon' is not a time"),
    ("PUSH_ENRICHER_ALLOW_HTTP", "maybe", "PUSH_ENRICHER_ALLOW_HTTP: 'maybe' is neither true nor false"),
    ("PUSH_ENRICHER_ALLOW_PORT", "443,x", "PUSH_ENRICHER_ALLOW_PORT: 'x' is not a number from 1 to 65535"),
    ("PUSH_ENRICHER_LIMITS", "image=1MB,text=1", "PUSH_ENRICHER_LIMITS: 'text=1' is not a limit"),
    ("PUSH_ENRICHER_STORE", "s3://bucket", "PUSH_ENRICHER_STORE: this place cannot be used"),
  ]

  @Test("is refused with the name of the variable", arguments: mistakes)
  func isRefused(variable: String, value: String, says: String) async throws {
    let run = try await PushEnricher.run(
      ["enrich"], input: Push.with(#""x":1"#), environment: [variable: value])
    #expect(run.termination == .exited(64))
    #expect(run.standardOutput == [])
    #expect(run.standardError.hasPrefix("push-enricher: \(says)"), "\(run.standardError)")
  }

  @Test(
    "an empty variable counts as not set",
    arguments: ["STORE", "DEADLINE", "ALLOW_PORT", "REQUIRE_ALL", "CONFIG"])
  func empty(name: String) async throws {
    let enriched = try await enrich(Push.with(#""x":1"#), environment: ["PUSH_ENRICHER_\(name)": ""])
    expectUnmodified(enriched, .noMedia)
  }

  @Test("a comma is part of the value if the option takes only one") func comma() async throws {
    try await withHostileServer { server in
      let enriched = try await enrich(
        Push.naming(server.url(.serve(.photo))), reaching(server.port),
        environment: ["PUSH_ENRICHER_PUBLIC_URL": "https://cdn.example/a,,b"], leavingOut: "--public-url")
      #expect(enriched.run.output.contains(#""url":"https://cdn.example/a,,b/"#))
    }
  }

  @Test("a variable of an unknown option stops nothing") func unknown() async throws {
    let enriched = try await enrich(Push.with(#""x":1"#), environment: ["PUSH_ENRICHER_COLOUR": "blue"])
    expectUnmodified(enriched, .noMedia)
  }
}
