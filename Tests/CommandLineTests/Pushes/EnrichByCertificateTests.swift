import Misbehaving
import Notifications
import TestSupport
import Testing

/// `enrich --to 'apns://…?certificate=FILE'`: a client certificate instead of a key.
@Suite("enrich --to APNs with a certificate", .timeLimit(.minutes(3)))
struct EnrichByCertificateTests {
  private static let payload = Array(#"{"aps":{"alert":"Hi","mutable-content":1}}"#.utf8)

  /// Writes a certificate for the app `com.example.app` and its key to one PEM file.
  /// - Parameter days: how long it is valid. If negative, it has expired.
  private static func certificate(in folder: TemporaryDirectory, days: Int) async throws -> String {
    let (key, request) = (folder.path(of: "client.key"), folder.path(of: "client.csr"))
    try await Command("openssl").runSuccessfully([
      "req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", request, "-subj",
      "/UID=com.example.app/CN=Apple Push Services: com.example.app",
    ])
    let certificate = try await Command("openssl").runSuccessfully([
      "x509", "-req", "-days", "\(days)", "-in", request, "-signkey", key,
    ])
    return try folder.write(certificate.standardOutput + Files.read(key), to: "client.pem", mode: 0o600)
  }

  /// Sends a push to a mock of APNs that wants a certificate.
  private static func send(
    _ behaviour: APNsBehaviour = .healthy, topic: String = "com.example.app", days: Int = 30,
    _ body: (Enriched, MockAPNs, _ file: String) throws -> Void
  ) async throws {
    var behaviour = behaviour
    behaviour.wantsToken = false
    try await withTemporaryDirectory { folder in
      let (authority, file) = (folder.path(of: "ca.pem"), try await certificate(in: folder, days: days))
      let server = try ServerCertificate(for: "IP:127.0.0.1")
      try server.write(to: authority)
      let tls = try TLSServerContext(server, speaking: .http2)
      try await withMockAPNs(behaviour, tls: tls) { mock in
        let target = "apns://\(mock.host):\(mock.port)?certificate=\(file)&topic=\(topic)"
        let enriched = try await enrich(
          payload, ["--to", target, "--device-token", "ab12", "--ca-file", authority, "--explain"])
        try body(enriched, mock, file)
      }
    }
  }

  @Test("APNs accepts the push without a token, and --explain names the certificate") func accepted()
    async throws
  {
    try await Self.send { enriched, mock, file in
      #expect(enriched.run.exitStatus == 0, "\(enriched.run.standardError)")
      #expect(enriched.run.standardOutput == Self.payload)
      #expect(mock.ledger.accepted == 1)
      #expect(mock.ledger.tokens == 0)
      #expect(Told(enriched)["key"] == ["certificate for com.example.app, in \(file)"])
      #expect(enriched.told.last?.contains(": APNs has accepted push ") == true, "\(enriched.told)")
      #expect(enriched.report?.root["push"]?["status"]?.integer == 200)
    }
  }

  @Test("one of another app is reported with the answer, the topic, and what to do") func otherTopic()
    async throws
  {
    var behaviour = APNsBehaviour.healthy
    behaviour.answersByTopic = ["com.example.b": .TopicDisallowed]
    try await Self.send(behaviour, topic: "com.example.b") { enriched, mock, file in
      #expect(enriched.run.exitStatus == 69)
      #expect(enriched.run.standardOutput == Self.payload)
      let id = try #require(mock.ledger.entries.first?.key)
      #expect(mock.ledger.accepted == 0)
      #expect(Told(enriched)["key"] == ["certificate for com.example.app, in \(file)"])
      #expect(
        enriched.told.last
          == "push-enricher: not accepted: APNs answered 400 TopicDisallowed to push \(id) for device ab12… and topic com.example.b: this key or certificate may not send to the topic: check both"
      )
      #expect(enriched.report?.root["push"]?["reason"]?.string == "TopicDisallowed")
    }
  }

  @Test("one that has expired is reported before anything is fetched or sent") func expired() async throws {
    try await Self.send(days: -1) { enriched, mock, file in
      #expect(enriched.run.exitStatus == 69)
      #expect(enriched.run.standardOutput == [])
      #expect(
        enriched.told.last?.hasSuffix(
          "the certificate file \(file) cannot be used: its certificate has expired: create a new one in the developer account"
        ) == true, "\(enriched.told)")
      #expect(mock.ledger.connections == 0)
    }
  }

  @Test("one that APNs no longer accepts ends the connection, which is reported with what to do")
  func revoked()
    async throws
  {
    let fault = APNsFault(.goAway(reason: .BadCertificate, answersEarlier: false), after: 0, connections: 9)
    try await Self.send(APNsBehaviour("revoked", fault: fault)) { enriched, mock, _ in
      #expect(enriched.run.exitStatus == 69)
      #expect(enriched.run.standardOutput == Self.payload)
      #expect(
        enriched.told.last
          == "push-enricher: not accepted: 127.0.0.1:\(mock.port) ended the connection (BadCertificate): put a valid certificate in the place of certificate="
      )
    }
  }
}
