import Glibc
import Misbehaving
import Notifications
import TestSupport
import Testing

/// `enrich --to apns://…` sends one payload, and reports what became of it.
@Suite("enrich --to APNs", .timeLimit(.minutes(5)))
struct EnrichToAPNsTests {
  private static let payload = Array(#"{"aps":{"alert":"Hi","mutable-content":1}}"#.utf8)
  private static let device = "AB12cd34"

  /// Runs `body` with a mock of APNs, its target, and the options for its certificate and a device.
  private static func withTarget(
    _ behaviour: APNsBehaviour = .healthy, names: String = "DNS:localhost,IP:127.0.0.1",
    _ body: (MockAPNs, _ target: String, _ options: [String]) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let (key, file) = (folder.path(of: "AuthKey.p8"), folder.path(of: "ca.pem"))
      let certificate = try ServerCertificate(for: names)
      try certificate.write(to: file)
      let tls = try TLSServerContext(certificate, speaking: .http2)
      try await withMockAPNs(behaviour, tls: tls) { mock in
        try mock.key.write(to: key)
        try await body(
          mock, "\(mock.target(key: key))&topic=com.example.app",
          ["--ca-file", file, "--device-token", device])
      }
    }
  }

  @Test("tells the story of a push that APNs accepts") func accepted() async throws {
    var behaviour = APNsBehaviour.healthy
    behaviour.keepsBodies = true
    try await Self.withTarget(behaviour) { mock, target, options in
      let to = target.replacing("127.0.0.1", with: "localhost")
      let enriched = try await enrich(
        Self.payload, options + ["--to", to, "--explain", "--require-sandbox", "--push-type", "alert"])
      #expect(enriched.run.exitStatus == 0, "\(enriched.run.standardError)")
      let entry = try #require(mock.ledger.entries.first)
      #expect(entry.value.device == "ab12cd34")
      #expect(entry.value.accepted == 1)
      #expect(entry.value.body == enriched.run.standardOutput)
      #expect(enriched.run.standardOutput == Self.payload)
      let told = Told(enriched)
      #expect(told["key"].first?.hasPrefix("MOCKKEY001 of team MOCKTEAM01, in /") == true)
      #expect(told["lookup"].first?.hasPrefix("localhost is ") == true, "\(enriched.told)")
      #expect(told["connect"].last?.hasPrefix("127.0.0.1 port \(mock.port), ") == true)
      #expect(told["TLS"].first?.hasPrefix("TLSv1.3") == true)
      #expect(
        told["push"] == [
          "device ab12cd34…, apns-topic com.example.app, apns-push-type alert, apns-id \(entry.key), \(Self.payload.count) bytes"
        ])
      #expect(told["settings"].first?.hasPrefix("1 push at a time, ") == true)
      #expect(told["answer"].first?.hasPrefix("200, apns-id \(entry.key), ") == true)
      #expect(
        enriched.told.last?.replacing(#/\d+ ms/#, with: "1 ms")
          == "push-enricher: sent in 1 ms: APNs has accepted push \(entry.key) for device ab12cd34…")
      let push = try #require(enriched.report?.root["push"])
      #expect(push["accepted"]?.spelling == "true")
      #expect(push["status"]?.integer == 200)
      #expect(push["apns_id"]?.string == entry.key)
    }
  }

  @Test("a payload that stays unmodified is sent all the same, and ends with status 3") func fallback()
    async throws
  {
    try await Self.withTarget { mock, target, options in
      let enriched = try await enrich(
        Push.with(#""media":{"url":"http://127.0.0.1/a.jpg"}"#), options + ["--to", target])
      #expect(enriched.run.exitStatus == 3, "\(enriched.run.standardError)")
      #expect(mock.ledger.accepted == 1)
    }
  }

  @Test(
    "an answer of APNs is reported with what to do",
    arguments: [
      (APNsReason.BadDeviceToken, "400 BadDeviceToken", "check the host, and do not delete the token"),
      (.Unregistered, "410 Unregistered", "do not send to this one again"),
      (.InvalidProviderToken, "403 InvalidProviderToken", "that it has not been revoked"),
      (
        .Forbidden, "403 Forbidden",
        "check in the developer account that the key or certificate is for this topic"
      ),
      (.TopicDisallowed, "400 TopicDisallowed", "this key or certificate may not send to the topic"),
      (.ExpiredProviderToken, "403 ExpiredProviderToken", "check the clock"),
      (.TooManyRequests, "429 TooManyRequests", "send less often to this device, and try again later"),
      (.InternalServerError, "500 InternalServerError", "try again later"),
      (.Shutdown, "503 Shutdown", "try again later"),
    ])
  func answer(reason: APNsReason, status: String, advice: String) async throws {
    try await Self.withTarget(.always(reason)) { mock, target, options in
      let enriched = try await enrich(Self.payload, options + ["--to", target, "--explain"])
      #expect(enriched.run.exitStatus == 69)
      #expect(enriched.run.standardOutput == Self.payload)
      let line = try #require(enriched.told.last)
      #expect(line.hasPrefix("push-enricher: not accepted: APNs answered \(status) to push "), "\(line)")
      #expect(line.contains(" for device ab12cd34… and topic com.example.app: "), "\(line)")
      #expect(line.contains(advice), "\(line)")
      #expect(Told(enriched)["answer"].first?.hasPrefix(status) == true)
      let push = try #require(enriched.report?.root["push"])
      #expect(push["accepted"]?.spelling == "false")
      #expect(push["reason"]?.string == reason.rawValue)
      #expect(push["detail"]?.string.map { line.hasSuffix($0) } == true)
      #expect(mock.ledger.entries.count == 1)
    }
  }

  @Test("another key, and a topic of another app") func wrongKeyAndTopic() async throws {
    var behaviour = APNsBehaviour.healthy
    behaviour.topics = ["com.example.app"]
    try await Self.withTarget(behaviour) { mock, target, options in
      try await withTemporaryDirectory { folder in
        let other = folder.path(of: "Other.p8")
        try APNsKey().write(to: other)
        let url =
          "apns://\(mock.host):\(mock.port)?key=\(other)&key-id=MOCKKEY001&team-id=MOCKTEAM01&topic=com.example.app"
        let key = try await enrich(Self.payload, options + ["--to", url])
        #expect(key.run.exitStatus == 69)
        #expect(key.told.last?.contains("403 InvalidProviderToken") == true, "\(key.told)")
        let topic = try await enrich(
          Self.payload, options + ["--to", target.replacing("com.example.app", with: "com.example.b")])
        #expect(topic.run.exitStatus == 69)
        #expect(topic.told.last?.contains("400 DeviceTokenNotForTopic") == true, "\(topic.told)")
        #expect(topic.told.last?.hasSuffix("the token is of another app: check apns-topic") == true)
      }
    }
  }

  @Test("a certificate for another name, or of an unknown authority") func certificates() async throws {
    try await Self.withTarget(names: "DNS:other.example") { mock, target, options in
      let other = try await enrich(Self.payload, options + ["--to", target, "--explain"])
      #expect(other.run.exitStatus == 69)
      let place = "127.0.0.1:\(mock.port)"
      #expect(
        other.told.last
          == "push-enricher: not accepted: \(place): its certificate is not accepted (IP address mismatch): check the host's name, and for a server of your own, name its certificate authority with --ca-file"
      )
      let unknown = try await enrich(Self.payload, ["--device-token", Self.device, "--to", target])
      #expect(unknown.run.exitStatus == 69)
      #expect(
        unknown.told.last?.contains("its certificate is not accepted (self-signed certificate)") == true)
      #expect(mock.ledger.entries.isEmpty)
    }
  }

  @Test("a host that is dead, or does not exist") func deadHost() async throws {
    try await Self.withTarget { mock, target, options in
      let port = freePort()
      let dead = try await enrich(
        Self.payload,
        options + ["--to", target.replacing(":\(mock.port)", with: ":\(port)"), "--explain"])
      #expect(dead.run.exitStatus == 69)
      #expect(
        dead.told.last
          == "push-enricher: not accepted: 127.0.0.1:\(port) cannot be reached (Connection refused): check the address, and that a firewall lets TCP port \(port) out"
      )
      #expect(Told(dead)["connect"].first?.hasPrefix("127.0.0.1 port \(port): Connection refused") == true)
      let unknown = try await enrich(
        Self.payload, options + ["--to", target.replacing("127.0.0.1", with: "push.invalid")])
      #expect(unknown.run.exitStatus == 69)
      #expect(
        unknown.told.last?.hasPrefix(
          "push-enricher: not accepted: the host name push.invalid cannot be looked up (")
          == true, "\(unknown.told)")
    }
  }

  @Test(
    "a connection that ends before the answer leaves it unknown, unless APNs says why",
    arguments: [0, 1, 2, 3])
  func endings(number: Int) async throws {
    let unknown =
      "so it is unknown whether APNs has taken the push: look at the device before you send it again"
    let (kind, says): (APNsFault.Kind, String) = [
      (.reset, unknown), (.close, unknown), (.goAway(reason: nil, answersEarlier: false), unknown),
      (
        .goAway(reason: .BadCertificate, answersEarlier: false),
        "ended the connection (BadCertificate): put a valid certificate in the place of certificate="
      ),
    ][number]
    let fault = APNsFault(kind, after: 0, connections: 9)
    try await Self.withTarget(APNsBehaviour("ending", fault: fault)) { mock, target, options in
      let enriched = try await enrich(Self.payload, options + ["--to", target])
      #expect(enriched.run.exitStatus == 69)
      let line = enriched.told.last ?? ""
      #expect(line.hasPrefix("push-enricher: not accepted: "), "\(line)")
      #expect(line.contains("127.0.0.1:\(mock.port)") && line.hasSuffix(says), "\(line)")
    }
  }

  @Test("a server that is not APNs: of HTTP/1.1, and of no TLS") func strangers() async throws {
    try await Self.withTarget { mock, target, options in
      try await withNginx(serving: Fixtures.media) { nginx in
        for (port, says) in [
          (nginx.httpPort, "TLS failed ("), (nginx.httpsPort, "its certificate is not accepted ("),
        ] {
          let enriched = try await enrich(
            Self.payload, options + ["--to", target.replacing(":\(mock.port)", with: ":\(port)")])
          #expect(enriched.run.exitStatus == 69)
          #expect(
            enriched.told.last?.contains("127.0.0.1:\(port): \(says)") == true, "\(enriched.told)")
        }
        let trusted = try await enrich(
          Self.payload,
          [
            "--device-token", Self.device, "--ca-file", nginx.caFile, "--to",
            target.replacing("127.0.0.1:\(mock.port)", with: "localhost:\(nginx.httpsPort)"),
          ])
        #expect(trusted.run.exitStatus == 69)
        #expect(trusted.told.last?.contains("check") == true, "\(trusted.told)")
      }
    }
  }

  @Test(
    "mistakes are told before anything is fetched",
    arguments: [
      (["--device-token", "ab12"], 64, "--device-token: name APNs with --to as well"),
      (["--to", "apns://h?key=k"], 64, "--to: name the device as well"),
      (["--to", "redis://h/s", "--device-token", "ab"], 64, "enrich sends its result to APNs only"),
      (["--to", "apns://h?key=k", "--device-token", "ab"], 64, "its parameter key-id is missing"),
      (
        ["--to", "apns://h?key=/nowhere.p8&key-id=ABC123DEFG&team-id=DEF123GHIJ", "--device-token", "ab"], 69,
        "/nowhere.p8"
      ),
    ])
  func mistakes(options: [String], status: Int32, says: String) async throws {
    let enriched = try await enrich(Self.payload, options)
    #expect(enriched.run.exitStatus == status)
    #expect(enriched.run.standardOutput == [])
    #expect(enriched.line.contains(says), "\(enriched.told)")
  }

  @Test("a wrong token and a missing topic are reported before anything is fetched") func wrongToken()
    async throws
  {
    try await Self.withTarget { mock, target, _ in
      for (target, token, says) in [
        (target, "f3:APA91b", "it has a wrong device token (“f3:APA91b…”): tokens of Firebase have a colon"),
        (
          target.replacing("&topic=com.example.app", with: ""), "ab12",
          "it has no header apns-topic: add it, or topic= to the URL"
        ),
      ] {
        let enriched = try await enrich(Self.payload, ["--to", target, "--device-token", token])
        #expect(enriched.run.exitStatus == 64)
        #expect(enriched.run.standardOutput == [])
        #expect(enriched.line.contains("the push would not be sent: \(says)"), "\(enriched.told)")
      }
      #expect(mock.ledger.connections == 0)
    }
  }
}
