import Glibc
import TestSupport
import Testing

/// Programs that are started without stdin, stdout or stderr, as some supervisors do.
@Suite("A stream that is closed", .timeLimit(.minutes(5)))
struct ClosedStreamTests {
  @Test(
    "is reported by its name",
    arguments: [
      ("enrich <&-", 64, "stdin is closed"),
      ("enrich payload.json >&-", 74, "stdout is closed"),
      ("seal content --keys keys.json --kid a <&-", 64, "stdin is closed"),
      ("work --from - --to - <&-", 69, #""message":"lines cannot be read: stdin is closed"}"#),
      (
        "dequeue --from sqlite:q.db?queue=incoming >&-", 74,
        "lines cannot be written: stdout is closed; what was not printed is still in the queue"
      ),
      ("dead-letters list --from sqlite:q.db?queue=incoming >&-", 74, "stdout is closed"),
      (
        "dead-letters list --from sqlite:q.db?queue=incoming >/dev/full", 74,
        "stdout: No space left on device"
      ),
    ])
  func told(line: String, status: Int32, says: String) async throws {
    try await withTemporaryDirectory { folder in
      try await Self.enqueue(in: folder)
      let key = #"{"a":{"format":"aes128gcm","key":"yqdlZ-tYemfogSmv7Ws5PQ"}}"#
      #expect(unsafe chmod(try folder.write(Array(key.utf8), to: "keys.json"), 0o600) == 0)
      let run = try await Self.run(line, in: folder)
      #expect(run.termination == .exited(status), "\(run.standardError)")
      #expect(run.standardError.hasSuffix("\(says)\n"), "\(run.standardError)")
      #expect(run.standardOutput.isEmpty)
    }
  }

  @Test("keeps messages that could not be printed in the queue") func kept() async throws {
    try await withTemporaryDirectory { folder in
      try await Self.enqueue(in: folder)
      let command = "dequeue --from sqlite:q.db?queue=incoming"
      _ = try await Self.run("\(command) >&-", in: folder)
      let run = try await Self.run(command, in: folder)
      #expect(run.output == "{}\n", "\(run.standardError)")
    }
  }

  @Test("is distinguished from a full disk when a dead letter is shown", arguments: [">&-", ">/dev/full"])
  func deadLetter(output: String) async throws {
    try await withTemporaryDirectory { folder in
      try await Self.enqueue(in: folder)
      let from = "--from sqlite:q.db?queue=incoming"
      let list = try await Self.run("dead-letters list \(from)", in: folder)
      let id = try #require(list.output.split(separator: " ").first)
      let run = try await Self.run("dead-letters show \(id) \(from) \(output)", in: folder)
      #expect(run.termination == .exited(74))
      let says = output == ">&-" ? "stdout is closed" : "stdout: No space left on device"
      #expect(run.standardError == "push-enricher: \(says)\n")
    }
  }

  /// Files must not get the descriptor of a closed stream, or output for people or programs would
  /// go into them.
  @Test("is not replaced by a file", arguments: ["<&-", "2>&-", "<&- 2>&-", "<&- >&- 2>&-"])
  func filled(closed: String) async throws {
    try await withTemporaryDirectory { folder in
      try await Self.enqueue(in: folder)
      let run = try await Self.run(
        "work --from sqlite:q.db --to sqlite:q.db?queue=out --dead-letters sqlite:q.db?queue=d --until-empty \(closed)",
        in: folder)
      #expect(run.termination == .exited(0), "\(run.standardError)")
      let results = try await Self.run("dequeue --from sqlite:q.db?queue=out", in: folder)
      #expect(results.output == "{}\n", "\(results.standardError)")
    }
  }

  private static func enqueue(in folder: TemporaryDirectory) async throws {
    try folder.write(Array("{}".utf8), to: "payload.json")
    let run = try await Self.run("enqueue --to sqlite:q.db payload.json", in: folder)
    #expect(run.termination == .exited(0), "\(run.standardError)")
  }

  /// - Parameter line: arguments and redirections in shell syntax.
  private static func run(_ line: String, in folder: TemporaryDirectory) async throws -> Run {
    try await Command("sh").run(
      ["-c", "cd '\(folder.path)' && exec '\(PushEnricher.path)' \(line)"])
  }
}
