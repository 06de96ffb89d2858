import TestSupport
import Testing

@Suite("Queues that the environment names", .timeLimit(.minutes(5)))
struct QueueNamesTests {
  @Test(
    "all commands use the queues that the environment or the file of options names",
    arguments: [false, true])
  func shared(isFile: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let names = [
        "from": "sqlite:\(folder.path)/q.db?queue=a", "to": "sqlite:\(folder.path)/q.db?queue=b",
        "dead-letters": "sqlite:\(folder.path)/q.db?queue=c", "store": folder.path, "until-empty": "yes",
      ]
      let members = names.map { #""\#($0)": "\#($1)""# }.joined(separator: ", ")
      let file = try folder.write(Array("{\(members)}".utf8), to: "config.json")
      let variables = names.map { name, value in
        ("PUSH_ENRICHER_\(name.uppercased().replacing("-", with: "_"))", value)
      }
      let environment = isFile ? [:] : Dictionary(uniqueKeysWithValues: variables)
      func run(_ arguments: String..., input: String = "") async throws -> String {
        let run = try await PushEnricher.run(
          arguments + (isFile ? ["--config", file] : []), input: Array(input.utf8), environment: environment)
        #expect(run.termination == .exited(0), "\(run.standardError)")
        return run.output
      }
      let lines = #"{"aps":{"alert":"Hi"}}"# + "\n[1]\n"
      _ = try await run("enqueue", input: lines)
      _ = try await run("work")
      #expect(try await run("dead-letters", "list").hasSuffix(" invalid-payload 3\n"))
      let results = try await run("dequeue")
      #expect(results.split(separator: "\n").sorted() == lines.split(separator: "\n").sorted())
    }
  }

  @Test(
    "an error about a wrong queue in the environment names the variable",
    arguments: [
      ("work", "FROM", "nonsense", "'nonsense' is not a queue"),
      ("work", "TO", "x:y", "'x:***' is not a queue"),
      ("work", "UNTIL_EMPTY", "perhaps", "'perhaps' is neither true nor false"),
      ("enqueue", "FROM", "nonsense", "'nonsense' is not a queue"),
      ("dequeue", "TO", "nonsense", "'nonsense' is not a queue"),
    ])
  func wrong(command: String, name: String, value: String, says: String) async throws {
    try await withTemporaryDirectory { folder in
      // Without these, the queues that are not under test would be created in the working directory.
      let queues = ["FROM", "TO", "DEAD_LETTERS"].map {
        ("PUSH_ENRICHER_\($0)", "sqlite:\(folder.path)/q.db?queue=\($0)")
      }
      let environment = Dictionary(uniqueKeysWithValues: queues)
        .merging(["PUSH_ENRICHER_\(name)": value]) { $1 }
      let run = try await PushEnricher.run([command], environment: environment)
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError.hasPrefix("push-enricher: PUSH_ENRICHER_\(name): \(says)"), "\(run.standardError)")
    }
  }
}
