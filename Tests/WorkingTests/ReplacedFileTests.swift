import Glibc
import Queueing
import TestSupport
import Testing

/// Files that are replaced under their names while a worker uses them. Its sandbox has to allow the
/// new ones, too.
@Suite("Files that are replaced", .timeLimit(.minutes(3)))
struct ReplacedFileTests {
  @Test("new keys are used as soon as they are in place") func keys() async throws {
    try await withWorkplace(.sqlite) { place in
      let (keys, next) = (place.folder.path(of: "keys.json"), place.folder.path(of: "keys.json.new"))
      try Self.write(["first": "yqdlZ-tYemfogSmv7Ws5PQ"], to: keys)
      try Self.write(["second": "BcJCJL6VDV9aOa0bWBFxVQ"], to: next)
      let first = try await Self.content(keys, "first")
      let second = try await Self.content(next, "second")
      let run = try await place.work(["--keys", keys]) { worker in
        try await place.queue("incoming").publish([Message(id: "m1", body: first)])
        try await place.wait(for: 1, in: "enriched")
        #expect(unsafe rename(next, keys) == 0)
        try await place.queue("incoming").publish([Message(id: "m2", body: second)])
        try await place.wait(for: 2, in: "enriched")
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try await place.contents("enriched")
      #expect(
        results.map { $0.header("enrich-outcome") } == ["enriched", "enriched"], "\(run.standardError)")
    }
  }

  private static func write(_ keys: [String: String], to path: String) throws {
    let records = keys.map { #""\#($0)":{"format":"aes128gcm","key":"\#($1)"}"# }.joined(separator: ",")
    try Files.write(Array("{\(records)}".utf8), to: path)
    #expect(unsafe chmod(path, 0o600) == 0)
  }

  private static func content(_ keys: String, _ keyID: String) async throws -> [UInt8] {
    try await Command(PushEnricher.path).runSuccessfully(
      ["seal", "content", "--keys", keys, "--kid", keyID],
      input: Array(#"{"title":"Alice","body":"Hi"}"#.utf8)
    ).standardOutput
  }
}
