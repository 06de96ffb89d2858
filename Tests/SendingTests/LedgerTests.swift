import Misbehaving
import Queueing
import TestSupport
import Testing

@testable import Sending

/// Thousands of pushes through every fault, as a worker sends them.
@Suite("The ledger of a mock of APNs", .serialized)
struct LedgerTests {
  private static let narrow: APNsBehaviour = {
    var behaviour = APNsBehaviour("refused-after-4xx")
    behaviour.script = (0..<200).map { $0 % 20 == 19 ? .TooManyRequests : nil }
    return behaviour
  }()

  @Test(
    "nothing is lost, nothing is sent twice but what was uncertain, and the order per device is kept",
    arguments: [APNsBehaviour.healthy, narrow] + APNsBehaviour.faulty)
  func ledger(_ behaviour: APNsBehaviour) async throws {
    try await withTLS(speaking: .http2) { tls, file in
      try await withMockAPNs(behaviour, tls: tls) { mock in
        try await withTemporaryDirectory { folder in
          let key = folder.path(of: "AuthKey.p8")
          try mock.key.write(to: key)
          let target = PushTarget(
            host: mock.host, port: mock.port, topic: nil, connections: 4, rate: nil, certificateFile: file)
          let token = try ProviderToken(file: key, keyID: mock.key.id, teamID: mock.key.team)
          let sink = APNsSink(try PushLoop(target, .token(token), .short), topic: nil)
          let messages = (0..<2_000).map { number in
            Message.push("m\(number)", to: "\(100_000 + number % 250)" + device)
          }
          try await Self.sendAll(messages, to: sink)
          try Self.check(mock.ledger, messages, sink.counts)
        }
      }
    }
  }

  /// Sends as a worker does: what is put off is sent again, before what comes after it.
  private static func sendAll(_ messages: [Message], to sink: APNsSink) async throws {
    var waiting = messages[...]
    let end = ContinuousClock.now + .seconds(60)
    while !waiting.isEmpty, ContinuousClock.now < end {
      let batch = Array(waiting.prefix(500))
      let results = try await sink.send(batch)
      #expect(results.count == batch.count)
      let rest = zip(batch, results).filter { $0.1 != .sent }.map(\.0)
      for case .rejected(let rejection) in results { Issue.record("\(rejection)") }
      waiting = rest + waiting.dropFirst(batch.count)
      if !rest.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    }
    #expect(waiting.isEmpty)
  }

  private static func check(_ ledger: APNsLedger, _ messages: [Message], _ counts: SendingTally.Counts) throws
  {
    #expect(ledger.entries.count == messages.count)
    #expect(ledger.entries.values.allSatisfy { $0.accepted >= 1 })
    #expect(ledger.repeated <= counts.uncertain, "\(ledger.repeated) \(counts)")
    #expect(ledger.entries.values.allSatisfy { $0.received <= $0.answered || $0.received > 1 })
    #expect(ledger.tokens == 1)
    #expect(ledger.resets <= 200)
    var expected: [String: [String]] = [:]
    for message in messages {
      let request = try PushRequest(message, topic: nil, now: 0)
      expected[request.device, default: []].append(try #require(request.id))
    }
    for (device, ids) in expected {
      var seen: Set<String> = []
      #expect(ledger.orders[device]?.filter { seen.insert($0).inserted } == ids)
    }
  }
}
