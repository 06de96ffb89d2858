import BuiltInQueueing
import Queueing
import TestSupport
import Testing

/// The default queues go together: if one side is a broker, the other side is not a file.
@Suite("Default queues", .timeLimit(.minutes(5)))
struct QueueDefaultsTests {
  private static let file = ", because its default, push-enricher.db, goes with the default of "

  @Test(
    "if one of two queues that belong together is missing, the error has an example of the same kind",
    arguments: [
      (["work", "--from", "sqlite:q.db"], "--from sqlite:q.db", "--to sqlite:q.db?queue=enriched"),
      (
        ["work", "--from", "sqlite:push-enricher.db?queue=other"],
        "--from sqlite:push-enricher.db?queue=other",
        "--to sqlite:push-enricher.db?queue=enriched"
      ),
      (["work", "--from", "-"], "--from -", "--to -"),
      (["work", "--to", "sqlite:q.db"], "--to sqlite:q.db", "--from sqlite:q.db?queue=incoming"),
      (
        ["work", "--from", "sqlite:q.db?queue=enriched", "--dead-letters", "sqlite:q.db?queue=d"],
        "--from sqlite:q.db?queue=enriched", "--to sqlite:q.db?queue=others"
      ),
      (
        ["dead-letters", "replay", "--all", "--from", "sqlite:q.db"], "--from sqlite:q.db",
        "--to sqlite:q.db?queue=incoming"
      ),
    ])
  func alone(arguments: [String], shown: String, example: String) async throws {
    try await expectRefusal(of: arguments, shown, example)
  }

  #if Redis && RabbitMQ
    @Test(
      "the same holds for brokers, and the error has no password",
      arguments: [
        ("redis://h/incoming", "redis://h/incoming", "redis://h/enriched"),
        (
          "redis://me:s3cret@h:1/3/jobs?group=g", "redis://me:***@h:1/3/jobs?group=g",
          "redis://me:***@h:1/3/enriched?group=g"
        ),
        ("amqp://u:s3cret@h/v?queue=jobs", "amqp://u:***@h/v?queue=jobs", "amqp://u:***@h/v?queue=enriched"),
      ])
    func aloneAtBroker(url: String, shown: String, example: String) async throws {
      try await expectRefusal(of: ["work", "--from", url], "--from \(shown)", "--to \(example)")
      try await expectRefusal(
        of: ["work"], "PUSH_ENRICHER_FROM \(shown)", "--to \(example)",
        environment: ["PUSH_ENRICHER_FROM": url])
    }

    @Test("the same holds for a URL from a secret file, and the error says nothing of it") func secret()
      async throws
    {
      try await withTemporaryDirectory { folder in
        let file = try folder.write(Array("redis://me:s3cret@hidden/jobs".utf8), to: "from", mode: 0o600)
        try await expectRefusal(
          of: ["work"], "PUSH_ENRICHER_FROM_FILE", "--to redis://HOST/enriched",
          environment: ["PUSH_ENRICHER_FROM_FILE": file])
      }
    }
  #endif

  @Test("dead-letters looks where a door's worker puts them: beside its results")
  func besideDoor() async throws {
    try await withTemporaryDirectory { folder in
      let url = "sqlite:\(folder.path(of: "q.db"))?queue="
      let letters = try Queues().open("\(url)dead-letters", defaultQueue: "x")
      try await letters.publish([Message(id: "m1", body: Array("[]".utf8))])
      let run = try await PushEnricher.run(
        ["dead-letters", "list"],
        environment: ["PUSH_ENRICHER_FROM": "http://127.0.0.1:1", "PUSH_ENRICHER_TO": "\(url)out"])
      #expect(run.exitStatus == 0, "\(run.standardError)")
      #expect(run.output.contains("m1"), "\(run.output)")
    }
  }

  @Test("the same holds for the file of options") func options() async throws {
    try await withTemporaryDirectory { folder in
      let file = try folder.write(Array(#"{"from": "sqlite:q.db"}"#.utf8), to: "options.json")
      try await expectRefusal(
        of: ["work", "--config", file], "from in \(file) sqlite:q.db", "--to sqlite:q.db?queue=enriched")
    }
  }

  @Test("a command whose queues the environment names does not use the default ones") func others()
    async throws
  {
    let from = "sqlite:q.db?queue=a"
    try await withTemporaryDirectory { folder in
      let file = try folder.write(Array(#"{"from": "\#(from)"}"#.utf8), to: "options.json")
      let cases: [(arguments: [String], environment: [String: String], says: String)] = [
        (
          ["enqueue"], ["PUSH_ENRICHER_TO": from],
          "PUSH_ENRICHER_TO \(from): this is the queue that work publishes into, and enqueue fills the one that work takes from: set PUSH_ENRICHER_FROM as well, or give --to, like --to 'sqlite:q.db?queue=incoming'"
        ),
        (
          ["dequeue"], ["PUSH_ENRICHER_FROM": from],
          "PUSH_ENRICHER_FROM \(from): this is the queue that work takes from, and dequeue reads the one that work publishes into: set PUSH_ENRICHER_TO as well, or give --from, like --from 'sqlite:q.db?queue=enriched'"
        ),
        (
          ["dequeue", "--config", file], [:],
          "from in \(file) \(from): this is the queue that work takes from, and dequeue reads the one that work publishes into: set \"to\" there as well, or give --from, like --from 'sqlite:q.db?queue=enriched'"
        ),
        (
          ["dequeue"], ["PUSH_ENRICHER_FROM": "http://127.0.0.1:1"],
          "PUSH_ENRICHER_FROM http://127.0.0.1:1: work answers the clients of this door with the results; if it has a --to, give --from that URL"
        ),
      ]
      for (arguments, environment, says) in cases {
        let run = try await PushEnricher.run(arguments, environment: environment)
        #expect(run.termination == .exited(64))
        #expect(run.standardError == "push-enricher: \(says)\n")
      }
    }
  }

  @Test("dead letters are next to the queue of --from, and all commands look for them there")
  func deadLetters() async throws {
    for kind in BrokerKind.products {
      try await withWorkplace(kind) { place in
        // The test needs an empty queue of its own.
        let from = place.url("incoming")
        let url = try #require(Self.letters(beside: from))
        let before = try await Queues.contents(of: url)
        try await place.publish([Errand(0, "[1]", .unmodified("invalid-payload"))])
        let work = try await Command("sh").run([
          "-c", #"cd "$0" && exec "$@""#, place.folder.path, PushEnricher.path, "work", "--from", from,
          "--to",
          place.url("enriched"), "--until-empty",
        ])
        #expect(work.termination == .exited(0), "\(work.standardError)")
        let names = place.folder.names.filter { $0.hasPrefix("push-enricher.db") }
        #expect(names == [])
        #expect(try await Queues.contents(of: url).map(\.body) == before.map(\.body) + [Array("[1]".utf8)])
        let list = try await PushEnricher.run(
          ["dead-letters", "list"], environment: ["PUSH_ENRICHER_FROM": from])
        #expect(list.output.contains(" invalid-payload 3\n"), "\(list.standardError)")
        let drop = try await PushEnricher.run(
          ["dead-letters", "drop", "--all"], environment: ["PUSH_ENRICHER_FROM": from])
        #expect(drop.termination == .exited(0))
      }
    }
  }

  private static func letters(beside url: String) -> String? {
    (try? QueueKind.builtIn.url(url, defaultQueue: "x"))?.sibling("dead-letters", of: url)
  }

  private func expectRefusal(
    of arguments: [String], _ shown: String, _ example: String, environment: [String: String] = [:]
  ) async throws {
    let run = try await PushEnricher.run(arguments, environment: environment)
    #expect(run.termination == .exited(64))
    let option = example.prefix { $0 != " " }
    #expect(
      run.standardError.hasPrefix(
        "push-enricher: \(shown): name \(option) as well, like \(example.replacing(" ", with: " '", maxReplacements: 1))'\(Self.file)"
      ),
      "\(run.standardError)")
    #expect(run.standardError.split(separator: "\n").count == 1)
    #expect(!run.standardError.contains("s3cret"))
  }
}

extension Queues {
  fileprivate static func contents(of url: String) async throws -> [Message] {
    try await Queues().open(url, defaultQueue: "x").browse(1_000)
  }
}
