import Glibc
import Misbehaving
import Queueing
import TestSupport
import Testing

/// `send` from real queues to the mock of APNs: its ledger shows that nothing is lost, and what came twice.
@Suite("Sending to APNs", .timeLimit(.minutes(10)))
struct SendToAPNsTests {
  private static func device(_ number: Int) -> String { "ab" + String(100_000 + number % 50) }

  private static func messages(_ count: Int) -> [Message] {
    (0..<count).map {
      Message(
        id: "m\($0)", body: Array(#"{"aps":{"alert":"n\#($0)"}}"#.utf8),
        headers: [Header("device-token", device($0)), Header("apns-topic", "com.example.app")])
    }
  }

  /// Runs `body` with the mock, a broker, and the arguments of `send` between them.
  private static func withTarget(
    _ kind: BrokerKind, _ behaviour: APNsBehaviour,
    _ body: (MockAPNs, any Broker, _ arguments: [String]) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await kind.withBroker { broker in
        try await withTLS(speaking: .http2) { tls, file in
          try await withMockAPNs(behaviour, tls: tls) { mock in
            let key = folder.path(of: "AuthKey.p8")
            try mock.key.write(to: key)
            let arguments = [
              "send", "--from", broker.url("incoming"), "--to", mock.target(key: key), "--dead-letters",
              broker.url("dead-letters"), "--until-empty", "--ca-file", file,
            ]
            try await body(mock, broker, arguments)
          }
        }
      }
    }
  }

  private static let environment = ["PUSH_ENRICHER_LEASE": "1s"]

  @Test("each message is pushed once", arguments: BrokerKind.products) func each(kind: BrokerKind)
    async throws
  {
    try await Self.withTarget(kind, .healthy) { mock, broker, arguments in
      let source = try SendTests.queue(broker, "incoming")
      try await source.publish(Self.messages(2_000))
      let run = try await PushEnricher.run(arguments, environment: Self.environment, limit: .seconds(120))
      #expect(run.exitStatus == 0, "\(run.standardError)")
      #expect(mock.ledger.accepted == 2_000)
      #expect(mock.ledger.entries.count == 2_000)
      #expect(mock.ledger.repeated == 0)
      #expect(try await source.isEmpty)
    }
  }

  @Test("dead tokens become records, and refused pushes dead letters") func deadTokens() async throws {
    try await Self.withTarget(.sqlite, .healthy) { mock, broker, arguments in
      let source = try SendTests.queue(broker, "incoming")
      func message(_ id: String, _ device: String) -> Message {
        Message(
          id: id, body: Array(#"{"aps":{}}"#.utf8),
          headers: [Header("device-token", device), Header("apns-topic", "com.example.app")])
      }
      let token = APNsReason.Unregistered.deviceToken
      try await source.publish([
        message("good", "ab12"), message("dead", token),
        message("wrong", APNsReason.BadDeviceToken.deviceToken),
        message("none", "no token"),
      ])
      let run = try await PushEnricher.run(
        arguments + ["--dead-tokens", broker.url("dead-tokens")], environment: Self.environment)
      #expect(run.exitStatus == 0, "\(run.standardError)")
      let records = try await SendTests.queue(broker, "dead-tokens").browse(10)
      #expect(records.count == 1)
      let record = String(decoding: records.first?.body ?? [], as: UTF8.self)
      #expect(record.hasPrefix(#"{"token":"\#(token)","topic":"com.example.app","timestamp":"#), "\(record)")
      #expect(record.hasSuffix(#","reason":"Unregistered"}"#), "\(record)")
      let letters = try await SendTests.queue(broker, "dead-letters").browse(10)
      #expect(letters.map(\.id).sorted() == ["none", "wrong"])
      #expect(letters.first { $0.id == "none" }?.header("enrich-reason") == "token-invalid")
      #expect(letters.first { $0.id == "wrong" }?.header("apns-reason") == "BadDeviceToken")
    }
  }

  @Test("kills lose nothing, and repeat pushes with the same apns-id", arguments: BrokerKind.products)
  func kills(kind: BrokerKind) async throws {
    // Each process makes a token of its own.
    var behaviour = APNsBehaviour.healthy
    behaviour.tokenInterval = .zero
    try await Self.withTarget(kind, behaviour) { mock, broker, arguments in
      let source = try SendTests.queue(broker, "incoming")
      let messages = Self.messages(4_000)
      try await source.publish(messages)
      for kill in 0..<20 {
        _ = try await Command("timeout").run(
          ["-s", "KILL", "0.\(1 + kill % 4)", PushEnricher.path] + arguments, environment: Self.environment)
      }
      let run = try await PushEnricher.run(arguments, environment: Self.environment, limit: .seconds(120))
      #expect(run.exitStatus == 0, "\(run.standardError)")
      // One entry an apns-id: none is lost, and none has two of them.
      #expect(mock.ledger.entries.count == messages.count)
      #expect(mock.ledger.entries.values.allSatisfy { $0.accepted >= 1 })
      #expect(try await source.isEmpty)
    }
  }
}
