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

@Suite("demo with options that do not belong together")
struct DemoOptionsTests {
  @Test(
    "is wrong usage, and none of them is ignored",
    arguments: [
      (
        ["--fault", "gzip-bomb", "--push-queue"],
        "--fault and --push-queue are for different demos: give one of them"
      ),
      (
        ["--apns", "127.0.0.1:0", "--fixtures", "/nonexistent"],
        "--fixtures and --apns are for different demos: give one of them"
      ),
      (["--answers-after", "5s"], "--answers-after: give --apns as well"),
    ])
  func usage(options: [String], says: String) async throws {
    let run = try await PushEnricher.run(["demo"] + options)
    #expect(run.termination == .exited(64))
    #expect(run.output == "")
    #expect(run.standardError == "push-enricher: \(says)\n")
  }
}

@Suite("demo whose reader has gone", .timeLimit(.minutes(5)))
struct DemoReaderTests {
  @Test("runs to its end, and removes its folders") func folders() async throws {
    try await withTemporaryDirectory { folder in
      let script = #"TMPDIR="$1" "$0" demo --fixtures "$2" | head -1"#
      let run = try await Command("bash").run(
        ["-c", script, PushEnricher.path, folder.path, "\(Fixtures.root)/Fixtures"], limit: .seconds(120))
      #expect(run.standardError == "push-enricher: stdout: Broken pipe\n")
      #expect(folder.names.isEmpty)
    }
  }
}
