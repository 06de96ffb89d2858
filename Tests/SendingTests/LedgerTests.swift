import Misbehaving
import Queueing
import TestSupport
import Testing

@testable import Sending

/// Thousands of pushes through each fault of the mock, sent as a worker sends them.
@Suite("The ledger of a mock of APNs", .serialized)
struct LedgerTests {
  /// Accepts pushes, and gives this answer to every hundredth.
  private static func now(_ reason: APNsReason, every count: Int = 100, times: Int = 10) -> APNsBehaviour {
    var behaviour = APNsBehaviour("\(reason)")
    behaviour.script = (1...count * times).map { $0 % count == 0 ? reason : nil }
    // The clock runs fast, so tokens are renewed often.
    behaviour.tokenInterval = .zero
    return behaviour
  }

  /// A single reset is enough to end the connection.
  private static let noResets: APNsBehaviour = {
    var behaviour = APNsBehaviour("no-resets")
    (behaviour.resets, behaviour.resetsPerSecond) = (0, 0)
    return behaviour
  }()

  /// Some pushes get no answer, so the client resets their streams. The server allows only a few resets.
  private static let fewResets: APNsBehaviour = {
    var behaviour = APNsBehaviour("few-resets")
    (behaviour.resets, behaviour.resetsPerSecond, behaviour.unanswered) = (3, 0, 97)
    return behaviour
  }()

  private static let behaviours =
    [
      noResets, fewResets, now(.TooManyRequests, every: 20), now(.ServiceUnavailable), now(.Shutdown),
      now(.IdleTimeout), now(.TooManyProviderTokenUpdates, every: 300, times: 2),
      now(.ExpiredProviderToken, every: 300, times: 3), now(.InvalidProviderToken, every: 300, times: 2),
      now(.UnrelatedKeyIdInToken),
    ] + APNsBehaviour.faulty

  @Test(
    "nothing is lost, nothing is sent twice but what was uncertain, and the order per device is kept",
    arguments: behaviours)
  func ledger(_ behaviour: APNsBehaviour) async throws {
    // With a server that allows no resets, no answer may be late.
    let times = behaviour.resets == 0 ? PushTimes.short : .impatient
    try await Self.withSink(to: behaviour, connections: 4, times) { sink, mock in
      let messages = (0..<LedgerSize.pushes).map { number in
        Message.push("m\(number)", to: "\(100_000 + number % 250)" + device)
      }
      let start = ContinuousClock.now
      try await Self.sendAll(messages, to: sink)
      try Self.check(mock.ledger, messages, sink.counts, behaviour, .now - start)
    }
  }

  @Test("a push that fits into the window in part is finished before later ones") func windows() async throws
  {
    try await Self.withSink(to: .healthy, connections: 1, .short) { sink, mock in
      let text = String(repeating: "x", count: 4_000)
      let messages = Message.pushes(1_000).map {
        Message(id: $0.id, body: Array(#"{"aps":{"alert":"\#(text)"}}"#.utf8), headers: $0.headers)
      }
      let results = try await sink.send(messages)
      #expect(results == Array(repeating: .sent, count: 1_000))
      #expect(mock.ledger.arrivals == (try messages.map { try PushRequest($0, topic: nil, now: 0).id }))
    }
  }

  private static func withSink(
    to behaviour: APNsBehaviour, connections: Int, _ times: PushTimes,
    _ body: (APNsSink, MockAPNs) async throws -> Void
  ) async throws {
    try await withTLS(speaking: .http2) { tls, file in
      try await withMockAPNs(behaviour, tls: tls) { mock in
        try await withTemporaryDirectory { folder in
          let key = folder.path(of: "AuthKey.p8")
          try mock.key.write(to: key)
          let target = PushTarget(
            host: mock.host, port: mock.port, topic: nil, connections: connections, rate: nil,
            certificateFile: file)
          let token = try ProviderToken(
            file: key, keyID: mock.key.id, teamID: mock.key.team,
            clock: behaviour.tokenInterval == .zero ? .fast : .system)
          var times = times
          (times.credentials, times.tooManyTokens) = (.milliseconds(200), .milliseconds(300))
          if behaviour.unanswered > 0 { times.answer = .milliseconds(500) }
          try await body(APNsSink(try PushLoop(target, .token(token), times), topic: nil), mock)
        }
      }
    }
  }

  /// Sends as a worker does: a push that was put off is sent again, before later pushes.
  private static func sendAll(_ messages: [Message], to sink: APNsSink) async throws {
    var waiting = messages[...]
    let end = ContinuousClock.now + .seconds(120)
    while !waiting.isEmpty, ContinuousClock.now < end {
      let batch = Array(waiting.prefix(500))
      var rest = batch
      do throws(QueueError) {
        let results = try await sink.send(batch)
        #expect(results.count == batch.count)
        rest = zip(batch, results).filter { $0.1 != .sent }.map(\.0)
        for case .rejected(let rejection) in results { Issue.record("\(rejection)") }
      } catch {
        guard case .unavailable = error else { throw error }
      }
      waiting = rest + waiting.dropFirst(batch.count)
      if !rest.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(waiting.isEmpty)
  }

  private static func check(
    _ ledger: APNsLedger, _ messages: [Message], _ counts: SendingTally.Counts, _ behaviour: APNsBehaviour,
    _ duration: Duration
  ) throws {
    let lost = messages.count - ledger.entries.values.count { $0.accepted >= 1 }
    #expect(lost == 0)
    #expect(ledger.entries.count == messages.count)
    #expect(ledger.repeated <= counts.uncertain, "\(ledger.repeated) \(counts)")
    #expect(ledger.entries.values.allSatisfy { $0.received <= $0.answered || $0.received > 1 })
    if behaviour.tokenInterval != .zero { #expect(ledger.tokens == 1) }
    #expect(ledger.resets <= 200)
    if behaviour.resets == 0 { #expect((ledger.resets, ledger.goAways, counts.uncertain) == (0, 0, 0)) }
    var expected: [String: [String]] = [:]
    for message in messages {
      let request = try PushRequest(message, topic: nil, now: 0)
      expected[request.device, default: []].append(try #require(request.id))
    }
    for (device, ids) in expected {
      var seen: Set<String> = []
      #expect(ledger.orders[device]?.filter { seen.insert($0).inserted } == ids)
    }
    LedgerSize.tell(
      "\(behaviour): \(messages.count) pushes, \(lost) lost, \(ledger.repeated) accepted twice, \(counts.uncertain) uncertain, \(counts.repeated) sent again, \(ledger.connections) connections, \(duration)"
    )
  }
}

extension TokenClock {
  /// A clock on which twenty minutes take 0.1 s.
  static var fast: TokenClock {
    let start = ContinuousClock.now
    return TokenClock {
      let now = TokenClock.system.now()
      return Time(elapsed: (ContinuousClock.now - start) * 12_000, epoch: now.epoch)
    }
  }
}
