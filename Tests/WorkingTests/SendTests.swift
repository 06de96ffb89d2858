import BuiltInQueueing
import Queueing
import TestSupport
import Testing

/// `push-enricher send`, from real queues into others. What it does with APNs is in SendingTests.
@Suite("The command send", .timeLimit(.minutes(10)))
struct SendTests {
  private static func messages(_ count: Int) -> [Message] {
    (0..<count).map {
      Message(
        id: "m\($0)", body: Array(#"{ "aps": {"alert":"n\#($0)"}}"#.utf8),
        headers: [Header("device-token", "a\($0 % 20)"), Header("n", "\($0)")])
    }
  }

  static func queue(_ broker: any Broker, _ name: String) throws(QueueError) -> any Queue {
    try QueueKind.builtIn.url(broker.url(name), defaultQueue: name)
      .open(in: Queues(), for: .taking, createsFile: true)
  }

  private static func arguments(_ broker: any Broker) -> [String] {
    [
      "send", "--from", broker.url("incoming"), "--to", broker.url("sent"), "--dead-letters",
      broker.url("dead-letters"), "--until-empty",
    ]
  }

  @Test("everything arrives once as it is, also after SIGTERM", arguments: BrokerKind.products)
  func termination(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let source = try Self.queue(broker, "incoming")
      let messages = Self.messages(3_000)
      try await source.publish(messages)
      for _ in 0..<3 {
        let run = try await Command("timeout").run(
          ["--foreground", "-s", "TERM", "0.15", PushEnricher.path] + Self.arguments(broker),
          environment: ["PUSH_ENRICHER_LEASE": "1s"])
        // Without --foreground, it would send the signal twice. 124 is timeout's own, when it had to send the signal.
        #expect([0, 124].contains(run.exitStatus), "\(run.standardError)")
      }
      let run = try await PushEnricher.run(Self.arguments(broker), environment: ["PUSH_ENRICHER_LEASE": "1s"])
      #expect(run.exitStatus == 0, "\(run.standardError)")
      let sent = try await Self.queue(broker, "sent").browse(4_000)
      #expect(sent.count == messages.count)
      let originals = Dictionary(messages.map { ($0.id, $0) }) { first, _ in first }
      for message in sent {
        #expect(message.body == originals[message.id]?.body)
        #expect(message.header("n") == originals[message.id]?.header("n"))
      }
      #expect(Set(sent.map(\.id)).count == messages.count)
      #expect(try await source.isEmpty)
    }
  }

  @Test("nothing is lost when it is killed", arguments: BrokerKind.products)
  func kills(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let source = try Self.queue(broker, "incoming")
      let messages = Self.messages(3_000)
      try await source.publish(messages)
      for kill in 0..<10 {
        _ = try await Command("timeout").run(
          ["-s", "KILL", "0.\(1 + kill % 3)", PushEnricher.path] + Self.arguments(broker),
          environment: ["PUSH_ENRICHER_LEASE": "1s"])
      }
      let run = try await PushEnricher.run(
        Self.arguments(broker), environment: ["PUSH_ENRICHER_LEASE": "1s"], limit: .seconds(120))
      #expect(run.exitStatus == 0, "\(run.standardError)")
      let sent = try await Self.queue(broker, "sent").browse(30_000)
      #expect(Set(sent.map(\.id)) == Set(messages.map(\.id)))
      #expect(try await source.isEmpty)
    }
  }

  @Test("lines go through in their order") func lines() async throws {
    try await withTemporaryDirectory { folder in
      let lines = (0..<500).map { #"{"aps":{"alert":"n\#($0)"}}"# }.joined(separator: "\n") + "\n"
      let run = try await PushEnricher.run(
        [
          "send", "--from", "-", "--to", "-", "--dead-letters",
          "sqlite:\(folder.path(of: "q.db"))?queue=dead",
        ],
        input: Array(lines.utf8))
      #expect(run.exitStatus == 0, "\(run.standardError)")
      #expect(run.output == lines)
    }
  }

  @Test(
    "what is missing or wrong is a mistake in the usage",
    arguments: [
      ([], "name a queue to take from and where to send to: --from"),
      (["--from", "-"], "name a queue to take from and where to send to: --to"),
      (["--from", "http://127.0.0.1:0", "--to", "-"], "a door takes payloads for work only"),
      (
        ["--from", "sqlite:q.db?queue=a", "--to", "sqlite:q.db?queue=a"],
        "this is the queue that --from names"
      ),
      (
        [
          "--from", "sqlite:q.db?queue=a", "--to", "sqlite:q.db?queue=b", "--dead-tokens",
          "sqlite:q.db?queue=c",
        ],
        "only APNs tells which tokens are dead"
      ),
    ])
  func mistakes(arguments: [String], text: String) async throws {
    try await withTemporaryDirectory { folder in
      let arguments = arguments.map { $0.replacing("q.db", with: folder.path(of: "q.db")) }
      let run = try await PushEnricher.run(["send"] + arguments)
      #expect(run.exitStatus == 64)
      #expect(run.standardError.contains(text), "\(run.standardError)")
    }
  }
}
