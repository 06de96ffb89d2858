import Queueing
import TestSupport
import Testing

/// What is wrong with a queue is said at the start, in one line.
@Suite("Wrong queues", .timeLimit(.minutes(1)))
struct WrongQueueTests {
  @Test(
    "a URL that names no queue", arguments: ["queue.db", "ftp://host/x", "sqlite:", "sqlite:a.db?name=x"])
  func url(text: String) async throws {
    for arguments in [["work", "--from", text], ["enqueue", "--to", text], ["dequeue", "--from", text]] {
      let run = try await PushEnricher.run(arguments)
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError.hasPrefix(
          "push-enricher: \(arguments[1]): '\(text)' is no queue: write one like sqlite:"))
      #expect(run.standardError.split(separator: "\n").count == 1)
    }
  }

  @Test("a file that is no database, and a folder that takes none")
  func file() async throws {
    try await withTemporaryDirectory { folder in
      let text = try folder.write(Array("no database".utf8), to: "notes.txt")
      let expected = [
        text: "\(text) is no SQLite database: name another file, or one that does not exist yet",
        folder.path: "\(folder.path) is a folder: name a file in it, like \(folder.path)/push-enricher.db",
        // Not even root can write there.
        "/proc/queue.db":
          "the queue /proc/queue.db cannot be created: give this user the right to, in the folder /proc",
      ]
      for (path, message) in expected {
        for arguments in [["work", "--from"], ["enqueue", "--to"], ["dequeue", "--from"]] {
          let run = try await PushEnricher.run(arguments + ["sqlite:\(path)"])
          #expect(run.termination == .exited(69))
          #expect(run.standardError == "push-enricher: \(arguments[1]) sqlite:\(path): \(message)\n")
        }
      }
    }
  }

  @Test("a worker that would take its own results")
  func loop() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let run = try await PushEnricher.run(
        ["work", "--from", "sqlite:\(path)", "--to", "sqlite:\(path)?queue=incoming"])
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError
          == "push-enricher: --to sqlite:\(path)?queue=incoming: is the queue that --from names: results would be taken again, for ever\n"
      )
    }
  }
}
