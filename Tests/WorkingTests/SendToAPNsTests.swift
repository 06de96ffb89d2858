import Glibc
import Misbehaving
import Queueing
import Synchronization
import TestSupport
import Testing

/// `send` from real queues to the mock of APNs, whose ledger shows that nothing was lost, and which pushes
/// came twice.
@Suite("Sending to APNs", .timeLimit(.minutes(10)))
struct SendToAPNsTests {
  private static func device(_ number: Int) -> String { "ab" + String(100_000 + number % 250) }

  private static func messages(_ count: Int) -> [Message] {
    (0..<count).map {
      Message(
        id: "m\($0)", body: Array(#"{"aps":{"alert":"n\#($0)"}}"#.utf8),
        headers: [
          Header("device-token", device($0)), Header("apns-topic", "com.example.app"),
          Header("apns-id", "00000000-0000-4000-8000-000000\(100_000 + $0)"),
        ])
    }
  }

  /// Runs `body` with the mock, a broker, and the arguments of `send` between them.
  static func withTarget(
    _ kind: BrokerKind, _ behaviour: APNsBehaviour = .healthy,
    deliveringWith deliver: (@Sendable (AcceptedPush) -> Void)? = nil,
    _ body: (MockAPNs, any Broker, _ arguments: [String]) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await kind.withBroker { broker in
        try await withTLS(speaking: .http2) { tls, file in
          try await withMockAPNs(behaviour, tls: tls, deliveringWith: deliver) { mock in
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
      let wrong = letters.first { $0.id == "wrong" }
      #expect(wrong?.header("apns-reason") == "BadDeviceToken")
      let detail = try #require(wrong?.header("enrich-detail"))
      #expect(detail.hasPrefix("APNs answered 400 BadDeviceToken to push "), "\(detail)")
      #expect(detail.hasSuffix("so check the host, and do not delete the token"), "\(detail)")
      #expect(
        letters.first { $0.id == "none" }?.header("enrich-detail")?.hasPrefix("it has a wrong device token")
          == true)
      // The last line of the log has the counts.
      let line = run.standardError.split(separator: "\n").last.map(String.init) ?? ""
      #expect(line.contains(#""message":"sent""#), "\(run.standardError)")
      #expect(line.contains(#""accepted":"1""#), "\(line)")
      #expect(line.contains(#""dead_letters":"2""#), "\(line)")
      #expect(line.contains(#""refused":"1 BadDeviceToken, 1 Unregistered""#), "\(line)")
    }
  }

  @Test("everything arrives once as it is, also after SIGTERM", arguments: BrokerKind.products)
  func termination(kind: BrokerKind) async throws {
    var behaviour = APNsBehaviour.healthy
    (behaviour.tokenInterval, behaviour.keepsBodies) = (.zero, true)
    try await Self.withTarget(kind, behaviour) { mock, broker, arguments in
      let source = try SendTests.queue(broker, "incoming")
      let messages = Self.messages(3_000)
      try await source.publish(messages)
      for _ in 0..<3 {
        let run = try await Command("timeout").run(
          ["--foreground", "-s", "TERM", "0.15", PushEnricher.path] + arguments,
          environment: Self.environment)
        // Without --foreground, timeout would send the signal twice. It returns 124 if it had to send the
        // signal.
        #expect([0, 124].contains(run.exitStatus), "\(run.standardError)")
      }
      let run = try await PushEnricher.run(arguments, environment: Self.environment, limit: .seconds(120))
      #expect(run.exitStatus == 0, "\(run.standardError)")
      #expect(mock.ledger.entries.values.map(\.accepted) == messages.map { _ in 1 })
      #expect(Set(mock.ledger.entries.values.map(\.body)) == Set(messages.map(\.body)))
      #expect(try await eventually { try await source.isEmpty })
    }
  }

  @Test("records go to each device in their order") func records() async throws {
    try await Self.withTarget(.sqlite) { mock, _, arguments in
      func id(_ number: Int) -> String { "00000000-0000-4000-8000-000000\(100_000 + number)" }
      func device(_ number: Int) -> String { "ab\(100_000 + number % 50)" }
      let lines = (0..<500).map {
        #"{"headers":{"device-token":"\#(device($0))","apns-topic":"a.b","apns-id":"\#(id($0))"},"body":{"aps":{"alert":"\#($0)"}}}"#
      }
      var arguments = arguments
      let from = try #require(arguments.firstIndex(of: "--from"))
      arguments[from + 1] = "records:-"
      arguments.removeAll { $0 == "--until-empty" }
      let run = try await PushEnricher.run(
        arguments, input: Array((lines.joined(separator: "\n") + "\n").utf8), environment: Self.environment)
      #expect(run.exitStatus == 0, "\(run.standardError)")
      #expect(mock.ledger.accepted == 500)
      for first in 0..<50 {
        #expect(mock.ledger.orders[device(first)] == stride(from: first, to: 500, by: 50).map(id))
      }
    }
  }

  /// Starts `send`, runs `body` as soon as the process exists, and waits for its end.
  private static func start(
    _ arguments: [String], in folder: TemporaryDirectory, _ body: (pid_t) async throws -> Void
  ) async throws -> Run {
    let file = folder.path(of: "pid-\(UInt64.random(in: 0...UInt64.max))")
    async let run = Command("sh").run(
      ["-c", #"echo $$ > "$0.new" && mv "$0.new" "$0" && exec "$@""#, file, PushEnricher.path] + arguments,
      environment: environment)
    try #require(await eventually { Files.exists(file) })
    let text = String(decoding: try Files.read(file).dropLast(), as: UTF8.self)
    try await body(try #require(pid_t(text)))
    return try await run
  }

  @Test("kills lose nothing, and repeat only what was under way", arguments: BrokerKind.products)
  func kills(kind: BrokerKind) async throws {
    // Each process makes a token of its own.
    var behaviour = APNsBehaviour.healthy
    (behaviour.tokenInterval, behaviour.answersAfter) = (.zero, .milliseconds(5))
    // Without the dam, a process could send all that is left before the test sees that its turn has come.
    let dam = Dam()
    try await Self.withTarget(kind, behaviour, deliveringWith: { _ in dam.pass() }) {
      mock, broker, arguments in
      defer { dam.height = .max }
      let source = try SendTests.queue(broker, "incoming")
      let messages = Self.messages(LedgerSize.pushes)
      try await source.publish(messages)
      let start = ContinuousClock.now
      try await withTemporaryDirectory { folder in
        for count in 1...LedgerSize.kills {
          let goal = messages.count * count / (LedgerSize.kills + 1)
          dam.height = goal
          let run = try await Self.start(arguments, in: folder) { process in
            #expect(await eventually { mock.accepted >= goal })
            kill(process, SIGKILL)
          }
          #expect(run.termination == .signalled(SIGKILL), "\(run.standardError)")
        }
      }
      dam.height = .max
      let run = try await PushEnricher.run(arguments, environment: Self.environment, limit: .seconds(120))
      #expect(run.exitStatus == 0, "\(run.standardError)")
      // The ledger has one entry for each apns-id: none is missing, and no message has got two ids.
      let ledger = mock.ledger
      let lost = messages.count - ledger.entries.values.count { $0.accepted >= 1 }
      #expect(lost == 0)
      #expect(ledger.entries.count == messages.count)
      // At most as many as the killed processes had in flight.
      #expect(ledger.repeated <= LedgerSize.kills * 512)
      #expect(try await source.isEmpty)
      if kind != .rabbitMQ { try Self.expectOrder(ledger, messages) }
      LedgerSize.tell(
        "\(kind), \(LedgerSize.kills) kills: \(messages.count) pushes, \(lost) lost, \(ledger.repeated) accepted twice, \(ContinuousClock.now - start)"
      )
    }
  }

  /// Lets as many pushes pass as its height, and holds up the mock's thread until it is raised.
  private final class Dam: Sendable {
    private let passed = Atomic(0)
    private let limit = Atomic(0)
    var height: Int {
      get { limit.load(ordering: .relaxed) }
      set { limit.store(newValue, ordering: .relaxed) }
    }

    func pass() {
      let number = passed.add(1, ordering: .relaxed).newValue
      while number >= height { usleep(1_000) }
    }
  }

  /// Expects the pushes to each device to come in their order. Repetitions do not count.
  private static func expectOrder(_ ledger: APNsLedger, _ messages: [Message]) throws {
    var expected: [String: [String]] = [:]
    for message in messages {
      let device = try #require(message.header("device-token"))
      expected[device, default: []].append(try #require(message.header("apns-id")))
    }
    for (device, ids) in expected {
      var seen: Set<String> = []
      let order = ledger.orders[device]?.filter { seen.insert($0).inserted }
      #expect(order == ids, "\(device)")
    }
  }

  /// A host that is not there, or no longer there.
  private enum Silence: CaseIterable { case swallows, acceptsOnly, answersNothing }

  @Test(
    "after SIGTERM, what a silent host has not answered goes back to its queue",
    arguments: [BrokerKind.sqlite, .redis], Silence.allCases)
  private func termination(kind: BrokerKind, silence: Silence) async throws {
    let mute = APNsBehaviour("mute", fault: APNsFault(.answersNothing, after: 20, connections: 8))
    try await Self.withTarget(kind, mute) { mock, broker, arguments in
      let source = try SendTests.queue(broker, "incoming")
      let messages = Self.messages(600)
      try await source.publish(messages)
      var arguments = arguments
      let port = freePort()
      let hole =
        try silence == .answersNothing
        ? nil : BlackHole("127.0.0.1", port: port, accepts: silence == .acceptsOnly)
      defer { hole?.close() }
      if hole != nil {
        arguments = arguments.map { $0.replacing("127.0.0.1:\(mock.port)", with: "127.0.0.1:\(port)") }
      }
      try await withTemporaryDirectory { folder in
        var stop = ContinuousClock.now
        let run = try await Self.start(arguments, in: folder) { process in
          #expect(try await eventually { try await source.backlog?.onLease ?? 0 > 0 })
          #expect(await eventually { hole != nil || mock.accepted >= 20 })
          try await Task.sleep(for: .seconds(1))
          stop = .now
          kill(process, SIGTERM)
        }
        #expect(run.exitStatus == 0, "\(run.standardError)")
        #expect(ContinuousClock.now - stop < .seconds(12))
      }
      let sent = mock.ledger
      #expect(hole == nil ? sent.accepted >= 20 : sent.accepted == 0)
      let left = try await SendTests.queue(broker, "incoming").browse(1_000)
      let ids = Set(left.map(\.id))
      #expect(left.count == ids.count)
      // The answered messages are gone, and all others are back in the queue.
      let accepted = Set(sent.entries.filter { $0.value.accepted > 0 }.keys)
      let rest = messages.filter { !accepted.contains($0.header("apns-id") ?? "") }
      #expect(ids == Set(rest.map(\.id)))
    }
  }
}
