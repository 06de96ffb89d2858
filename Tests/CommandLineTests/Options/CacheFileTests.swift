import Glibc
import TestSupport
import Testing

@Suite("--cache-file", .timeLimit(.minutes(5)))
struct CacheFileTests {
  @Test("names something else: that is wrong usage, and it stays as it is", arguments: ["enrich", "work"])
  func other(command: String) async throws {
    try await withTemporaryDirectory { folder in
      #expect(unsafe mkdir(folder.path(of: "store"), 0o755) == 0)
      let contents = [UInt8](repeating: 7, count: 65_536)
      let path = try folder.write(contents, to: "notes")
      // `enrich` takes no notice of these.
      let queues = ["FROM", "TO", "DEAD_LETTERS"].map {
        ("PUSH_ENRICHER_\($0)", "sqlite:\(folder.path)/q.db?queue=\($0)")
      }
      let run = try await PushEnricher.run(
        [command, "--store", folder.path(of: "store"), "--cache", "1MB", "--cache-file", path],
        input: Push.with(#""n":1"#), environment: Dictionary(uniqueKeysWithValues: queues))
      #expect(run.termination == .exited(64))
      #expect(run.standardOutput == [])
      #expect(
        run.standardError.hasSuffix(
          "the URL cache cannot be used: the file \(path) is not a cache of push-enricher and stays as it is: name another file with --cache-file, or remove this one if nobody needs it\n"
        ), "\(run.standardError)")
      #expect(try Files.read(path) == contents)
    }
  }
}
