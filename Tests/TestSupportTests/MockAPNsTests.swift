import Misbehaving
import TestSupport
import Testing

@Suite("MockAPNs")
struct MockAPNsTests {
  private let settings = "settings 1=4096 3=1 4=65535 5=16384 6=8000"

  @Test("it allows one stream until the first accepted push and then a thousand", arguments: [true, false])
  func healthy(hasTLS: Bool) async throws {
    try await PushClient.with(hasTLS: hasTLS) { mock, client in
      let lines = try await client.send(500)
      #expect(lines.filter { $0 == "answer 200 - same" }.count == 500)
      #expect(lines.filter { $0.hasPrefix("settings") } == [settings, "settings 3=1000"])
      #expect(lines.contains("alpn h2") == hasTLS)
      let ledger = mock.ledger
      #expect(
        ledger.entries.count == 500 && ledger.accepted == 500 && ledger.uncertain == 0 && ledger.repeated == 0
      )
      #expect(ledger.orders["ab12"]?.count == 500 && ledger.tokens == 1 && ledger.mostStreams > 10)
    }
  }

  @Test("streams over the limit are refused")
  func refused() async throws {
    try await PushClient.with { mock, client in
      let lines = try await client.send(20, impatient: true)
      #expect(lines.filter { $0 == "reset 7" }.count == 19)
      #expect(mock.ledger.refused == 19 && mock.ledger.entries.count == 1)
    }
  }

  @Test("after a 4xx the limit is one again, and after the next 200 a thousand")
  func narrowing() async throws {
    var behaviour = APNsBehaviour("narrow")
    behaviour.script = [nil, .BadMessageId, nil]
    try await PushClient.with(behaviour) { _, client in
      let lines = try await client.send(4, streams: 1)
      #expect(
        lines.filter { $0.hasPrefix("settings") } == [
          settings, "settings 3=1000", "settings 3=1", "settings 3=1000",
        ])
    }
  }

  @Test("each reason comes for its device token", arguments: APNsReason.allCases)
  func reasons(_ reason: APNsReason) async throws {
    try await PushClient.with { mock, client in
      let answer = try await client.send(device: reason.deviceToken).filter { $0.hasPrefix("answer") }
      #expect(
        answer == ["answer \(reason.status) \(reason) same" + (reason.status == 410 ? " timestamp" : "")])
      #expect(mock.ledger.reasons == [reason: 1])
    }
  }

  @Test(
    "a request is checked in the order of pushy's mock",
    arguments: [
      (["apns-id": "x", ":method": "GET"], APNsReason.BadMessageId),
      ([":method": "GET", "apns-topic": ""], .MethodNotAllowed),
      (["apns-topic": "", "apns-collapse-id": String(repeating: "c", count: 65)], .MissingTopic),
      (["apns-collapse-id": String(repeating: "c", count: 65), "apns-priority": "7"], .BadCollapseId),
      (["apns-priority": "7", "apns-push-type": ""], .BadPriority),
      (["apns-push-type": "loud", ":path": "/"], .InvalidPushType),
      (["apns-push-type": "background", "apns-priority": "10"], .BadPriority),
      ([":path": "/4/device/ab"], .BadPath),
      ([":path": "/3/device/"], .MissingDeviceToken), ([":path": "/3/device/xyz"], .BadDeviceToken),
      (["authorization": ""], .MissingProviderToken),
      (["authorization": "bearer a.b.c"], .InvalidProviderToken),
    ])
  func checks(_ header: [String: String], _ reason: APNsReason) async throws {
    try await PushClient.with { _, client in
      let lines = try await client.send(header: header)
      #expect(lines.contains { $0.hasPrefix("answer \(reason.status) \(reason) ") }, "\(lines)")
    }
  }

  @Test("a body is at least 1 byte and at most 4,096, for voip 5,120")
  func sizes() async throws {
    try await PushClient.with { _, client in
      let lines1 = try await client.send(body: 0)
      #expect(lines1.contains("answer 400 PayloadEmpty same"))
      let lines2 = try await client.send(body: 4_097)
      #expect(lines2.contains("answer 413 PayloadTooLarge same"))
      let lines3 = try await client.send(body: 5_120, header: ["apns-push-type": "voip"])
      #expect(lines3.contains("answer 200 - same"))
    }
  }

  @Test("a token older than an hour has expired, and nothing more is accepted on its connection")
  func expired() async throws {
    try await PushClient.with { mock, client in
      let lines = try await client.send(3, issued: -3_700)
      #expect(lines.filter { $0 == "answer 403 ExpiredProviderToken same" }.count == 3)
      #expect(mock.ledger.tokens == 0)
    }
  }

  @Test("a second token within 20 minutes is one too many, on any connection")
  func manyTokens() async throws {
    try await PushClient.with { mock, client in
      let lines4 = try await client.send(issued: -10)
      #expect(lines4.contains("answer 200 - same"))
      let lines5 = try await client.send(issued: -5)
      #expect(lines5.contains("answer 429 TooManyProviderTokenUpdates same"))
      #expect(mock.ledger.tokens == 1)
    }
  }

  @Test("more than 1,000 resets at once end the connection")
  func resets() async throws {
    try await PushClient.with { mock, client in
      let few = try await client.send(resets: 900)
      #expect(few.last == "open 0")
      #expect(mock.ledger.goAways == 0)
      let lines = try await client.send(resets: 1_200)
      #expect(lines.contains { $0.hasPrefix("goaway 11 ") }, "\(lines)")
    }
  }

  @Test("GOAWAY takes on half of those in flight, and answers them or not")
  func goAway() async throws {
    for behaviour in APNsBehaviour.faulty where behaviour.name.hasPrefix("goaway") {
      try await PushClient.with(behaviour) { mock, client in
        let lines = try await client.send(300)
        let reason = behaviour.name == "goaway-with-reason" ? #"{"reason":"Shutdown"}"# : "-"
        let isAnswered = behaviour.name != "goaway-unanswered"
        #expect(
          lines.contains { $0.hasPrefix("goaway 0 ") && $0.hasSuffix(" \(reason)") }, "\(behaviour): \(lines)"
        )
        let ledger = mock.ledger
        #expect(ledger.unprocessed >= 50)
        #expect(
          ledger.accepted >= (isAnswered ? 60 : 10) && (ledger.uncertain == 0) == isAnswered, "\(behaviour)")
        #expect(lines.filter { $0.hasPrefix("answer 200") }.count == ledger.accepted)
      }
    }
  }

  @Test(
    "a connection ends, with a reset or without, while 100 pushes are in flight",
    arguments: ["reset", "close"])
  func ends(name: String) async throws {
    let behaviour = try #require(APNsBehaviour.faulty.first { $0.name == name })
    try await PushClient.with(behaviour) { mock, client in
      let lines = try await client.send(300)
      #expect(lines.contains { ["end closed", "end reset"].contains($0) }, "\(lines)")
      #expect(mock.ledger.uncertain >= 100)
      #expect(await eventually { mock.ledger.openConnections == 0 })
      // The mock treats the next connection properly.
      let more = try await client.send(20)
      #expect(more.filter { $0 == "answer 200 - same" }.count == 20)
    }
  }

  @Test("a connection falls silent", arguments: ["reads-nothing", "answers-nothing", "answers-no-push"])
  func silence(name: String) async throws {
    let behaviour = try #require(APNsBehaviour.faulty.first { $0.name == name })
    try await PushClient.with(behaviour) { mock, client in
      let lines = try await client.send(30)
      #expect(lines.contains("end silent") && lines.filter { $0.hasPrefix("answer") }.count == 10, "\(lines)")
      #expect(mock.ledger.uncertain >= 1)
    }
  }

  @Test("no window opens: 15 pushes of 4 KB go out, and PING is answered")
  func window() async throws {
    let behaviour = try #require(APNsBehaviour.faulty.first { $0.name == "window-shut" })
    try await PushClient.with(behaviour) { _, client in
      let lines = try await client.send(50, body: 4_096, pings: true)
      #expect(lines.filter { $0.hasPrefix("answer 200") }.count == 15)
      #expect(lines.contains("pong") && lines.contains("end silent"))
    }
  }

  @Test("answers are delayed as for a distant client")
  func delay() async throws {
    var behaviour = APNsBehaviour("distant")
    behaviour.answersAfter = .milliseconds(50)
    try await PushClient.with(behaviour) { _, client in
      let clock = ContinuousClock()
      var lines: [String] = []
      let time = try await clock.measure { lines = try await client.send(8, streams: 1) }
      #expect(lines.filter { $0 == "answer 200 - same" }.count == 8 && time > .milliseconds(400))
    }
  }

  @Test("bodies are kept if they are asked for, and an apns-id is made if there is none")
  func bodies() async throws {
    var behaviour = APNsBehaviour("keeping")
    behaviour.keepsBodies = true
    try await PushClient.with(behaviour) { mock, client in
      let lines6 = try await client.send(header: ["apns-id": ""])
      #expect(lines6.contains("answer 200 - other"))
      let entry = mock.ledger.entries["00000000-0000-4000-8000-000000000001"]
      #expect(entry?.body == Array(repeating: UInt8(ascii: "x"), count: 20) && entry?.accepted == 1)
    }
  }
}
