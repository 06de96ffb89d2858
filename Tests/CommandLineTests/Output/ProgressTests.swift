import Enriching
import Misbehaving
import TestSupport
import Testing

@Suite("Progress")
struct ProgressTests {
  /// Half of the body comes at once, the rest never.
  private static let slow = Behaviour.stalling(
    .padded("photo.jpg", as: "image/jpeg", to: 4_000_000), after: 2_000_000)

  @Test("of a slow transfer is shown on a terminal, in one line that disappears") func terminal() async throws
  {
    // A busy machine may need seconds for the half that comes.
    let told = try await onTerminal(Self.slow, deadline: "8s")
    #expect(told.contains("\r\u{1b}[Kmedia 2.0 MB of 4.0 (50 %)"), "\(told)")
    let end = try #require(told.firstRange(of: "\r\u{1b}[Kpush-enricher: "))
    #expect(told[end.upperBound...].hasPrefix("unmodified after "))
  }

  @Test("of a fast transfer is not shown") func fast() async throws {
    // A busy machine may need more than a second for it, but hardly five times in a row.
    var told: [String] = []
    repeat {
      told.append(try await onTerminal(.serve(.photo), deadline: "30s"))
    } while told.count < 5 && told.allSatisfy { $0.contains(" MB") }
    #expect(!told.allSatisfy { $0.contains(" MB") }, "\(told)")
  }

  @Test("is never written into a pipe") func pipe() async throws {
    try await withHostileServer { server in
      let enriched = try await enrich(
        Push.naming(server.url(Self.slow)), reaching(server.port) + ["--deadline", "4s"])
      expectUnmodified(enriched, .deadlineExceeded, saying: "the medium was waiting for the rest of the body")
    }
  }

  /// The output on a terminal; `script` of util-linux creates it.
  private func onTerminal(_ behaviour: Behaviour, deadline: String) async throws -> String {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        let payload = try folder.write(Push.naming(server.url(behaviour)), to: "push.json")
        let words =
          [PushEnricher.path, "enrich", payload, "--store", folder.path, "--deadline", deadline]
          + reaching(server.port)
        let line = words.map { "'\($0)'" }.joined(separator: " ") + " > '\(folder.path)/out.json'"
        let run = try await Turns.shared.take {
          try await Command("script").run(["-q", "-e", "-f", "-c", line, "/dev/null"])
        }
        return run.output
      }
    }
  }
}
