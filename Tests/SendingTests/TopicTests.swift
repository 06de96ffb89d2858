import Misbehaving
import Queueing
import Supporting
import TestSupport
import Testing

@testable import Sending

/// A refusal by APNs may be for a topic or for the whole key. APNs does not say which.
@Suite("Topics that APNs refuses")
struct TopicTests {
  private static let other = "com.example.other"

  private static func push(_ id: String, _ topic: String = other) -> Message {
    var message = Message.push(
      id, to: (topic == other ? "11" : "22") + String(hexadecimal: Array(id.utf8).span))
    message.headers = message.headers.map { $0.name == "apns-topic" ? Header($0.name, topic) : $0 }
    return message
  }

  private static func withSink(
    _ reason: APNsReason, _ body: (APNsSink, MockAPNs) async throws -> Void
  ) async throws {
    var behaviour = APNsBehaviour("\(reason)")
    behaviour.answersByTopic = [other: reason]
    try await withMock(behaviour) { mock, file, key in
      let target = PushTarget(
        host: mock.host, port: mock.port, topic: nil, connections: 1, rate: nil, certificateFile: file)
      let token = try ProviderToken(file: key, keyID: mock.key.id, teamID: mock.key.team)
      var times = PushTimes.short
      times.credentials = .seconds(4)
      try await body(APNsSink(try PushLoop(target, .token(token), times), topic: nil), mock)
    }
  }

  @Test("one that is forbidden waits, and the others are sent") func forbidden() async throws {
    try await Self.withSink(.Forbidden) { sink, mock in
      let messages = (0..<60).map { Self.push("m\($0)", $0 % 2 == 0 ? "com.example.app" : Self.other) }
      #expect(try await sink.send([messages[0]]) == [.sent])
      let results = try await sink.send(Array(messages.dropFirst()))
      for (message, result) in zip(messages.dropFirst(), results) {
        guard message.header("apns-topic") == Self.other else {
          #expect(result == .sent)
          continue
        }
        guard case .unavailable(let detail, let after?) = result else { Issue.record("\(result)"); continue }
        #expect(detail.contains("APNs answered 403 Forbidden") && detail.contains("topic com.example.other"))
        #expect(after <= .seconds(4))
      }
      #expect(mock.ledger.accepted == 30)
      #expect(sink.counts.credentialsFault == nil)
      // Until the pause is over, no push to this topic is sent. Then a single one is.
      let asked = try #require(mock.ledger.reasons[.Forbidden])
      _ = try await sink.send((0..<20).map { Self.push("n\($0)") })
      #expect(mock.ledger.reasons[.Forbidden] == asked)
      try await Task.sleep(for: .seconds(4))
      _ = try await sink.send((0..<20).map { Self.push("o\($0)") })
      #expect(mock.ledger.reasons[.Forbidden] == asked + 1)
    }
  }

  @Test("one that comes first does not stop the others") func first() async throws {
    try await Self.withSink(.Forbidden) { sink, mock in
      await #expect { try await sink.send([Self.push("a")]) } throws: { "\($0)".contains("403 Forbidden") }
      #expect(sink.counts.credentialsFault?.contains("403 Forbidden") == true)
      #expect(try await sink.send([Self.push("b", "com.example.app")]) == [.sent])
      #expect(sink.counts.credentialsFault == nil)
      guard case .unavailable(_, .some)? = try await sink.send([Self.push("a")]).first else {
        Issue.record("it does not wait")
        return
      }
    }
  }

  @Test("one that APNs calls wrong is rejected", arguments: [APNsReason.TopicDisallowed, .BadTopic])
  func wrong(_ reason: APNsReason) async throws {
    try await Self.withSink(reason) { sink, mock in
      let results = try await sink.send([Self.push("a"), Self.push("b", "com.example.app"), Self.push("c")])
      #expect(results[1] == .sent)
      for result in [results[0], results[2]] {
        guard case .rejected(let rejection) = result else { Issue.record("\(result)"); continue }
        #expect(rejection.reason == "apns-rejected")
        #expect(rejection.headers.contains(Header("apns-reason", reason.rawValue)))
      }
      #expect(sink.counts.credentialsFault == nil)
    }
  }
}

@Suite("The pacer") struct PacerTests {
  @Test(
    "the burst is as large as the rate makes it",
    arguments: [(10, 1), (49, 1), (50, 2), (1_000, 21), (100_000, 129)])
  func burst(rate: Int, most: Int) {
    var pacer = Pacer(rate: rate)
    let now = MonotonicTime.now
    var count = 0
    while pacer.due(at: now) == nil {
      pacer.note(at: now)
      count += 1
    }
    #expect(count == most)
  }

  @Test("the rate is met by a loop that wakes late", arguments: [10, 100, 1_000, 10_000, 60_000])
  func rate(_ rate: Int) {
    var pacer = Pacer(rate: rate)
    let start = MonotonicTime.now
    var (now, count) = (start, 0)
    while now - start < .seconds(10) {
      while pacer.due(at: now) == nil {
        pacer.note(at: now)
        count += 1
      }
      // epoll(7) may wake up 1 ms later than asked.
      now = max(pacer.due(at: now) ?? now, now) + .milliseconds(1)
    }
    #expect(abs(count - rate * 10) <= max(2, rate / 50), "\(count)")
  }
}
