import Glibc
import TestSupport
import Testing

@Suite("demo with missing fixtures")
struct DemoUsageTests {
  @Test("is wrong usage, and the error says what is missing") func fixtures() async throws {
    try await withTemporaryDirectory { folder in
      func run(_ says: String) async throws {
        let run = try await PushEnricher.run(["demo", "--fixtures", folder.path])
        #expect(run.termination == .exited(64))
        #expect(run.standardError.hasPrefix("push-enricher: \(folder.path)\(says)"), "\(run.standardError)")
        #expect(run.standardError.split(separator: "\n").count == 1)
      }
      let missing = " has no folders payloads and media: name another with --fixtures\n"
      try await run(missing)
      #expect(unsafe mkdir(folder.path(of: "payloads"), 0o755) == 0)
      try await run(missing)
      #expect(unsafe mkdir(folder.path(of: "media"), 0o755) == 0)
      try folder.write(Array("{}".utf8), to: "payloads/a.expected.json")
      try await run("/payloads/a: a case is a pair, a.json and a.expected.json\n")
    }
  }
}
