import Glibc
import Queueing
import TestSupport
import Testing

/// Files that are replaced under their names while a worker uses them. Its sandbox has to allow the
/// new ones, too.
@Suite("Files that are replaced", .timeLimit(.minutes(5)))
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

  @Test("new categories are used as soon as they are in place, and a mistake leaves the old ones in use")
  func categories() async throws {
    try await withWorkplace(.sqlite) { place in
      let (file, next) = (place.folder.path(of: "c.json"), place.folder.path(of: "c.json.new"))
      let push = Array(#"{"aps":{"alert":"Hello","category":"M","mutable-content":1}}"#.utf8)
      let contents = [
        #"{"M":[{"identifier":"a","title":"First"}]}"#, #"{"M":1}"#,
        #"{"M":[{"identifier":"a","title":"Second"}]}"#,
      ]
      try Files.write(Array(contents[0].utf8), to: file)
      let run = try await place.work(["--categories", file]) { worker in
        for (index, content) in contents.enumerated() {
          try Files.write(Array(content.utf8), to: next)
          #expect(unsafe rename(next, file) == 0)
          try await place.queue("incoming").publish([Message(id: "m\(index)", body: push)])
          try await place.wait(for: index + 1, in: "enriched")
        }
        #expect(kill(worker.process, SIGTERM) == 0)
      }
      #expect(run.termination == .exited(0), "\(run.standardError)")
      #expect(run.standardError.contains("the old categories stay in use: \(file): line 1, column 6"))
      let results = try await place.contents("enriched").map { String(decoding: $0.body, as: UTF8.self) }
      #expect(results.map { $0.contains("First") } == [true, true, false])
      #expect(results.map { $0.contains("Second") } == [false, false, true])
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
