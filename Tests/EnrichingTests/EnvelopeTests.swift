import Enriching
import Misbehaving
import Notifications
import TestSupport
import Testing

@Suite("Several payloads in a message")
struct EnvelopeTests {
  private static let photo = Behaviour.serve(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg"))
  private static let aps = #"{"alert":"Hello","mutable-content":1}"#

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
  }

  /// A message for SNS with a payload for each platform.
  private static func message(_ platforms: (String, url: String)...) throws -> PushMessage {
    let members = platforms.map { name, url in
      #""\#(name)":"\#(escaped(#"{"aps":\#(aps),"media":"\#(url)"}"#))""#
    }
    return try PushMessage(Array("{\(members.joined(separator: ","))}".utf8))
  }

  private static func enrich(
    _ message: PushMessage, _ server: HostileServer, pushType: PushType? = nil,
    _ change: (inout EnrichmentSettings) -> Void = { _ in }
  ) async throws -> Enrichment {
    try await withTemporaryDirectory { store in
      var settings = try EnrichmentSettings.reaching(server.port, store: store)
      change(&settings)
      return await (try Enricher(settings: settings)).enrich(message, pushType: pushType)
    }
  }

  @Test("are enriched by themselves, and the report says which") func partly() async throws {
    try await withHostileServer { server in
      let message = try Self.message(
        ("APNS", server.url(.serve(.notFoundPage))), ("APNS_SANDBOX", server.url(Self.photo)))
      let enrichment = try await Self.enrich(message, server)
      #expect(enrichment.outcome.name == "enriched")
      let result = try PushMessage(enrichment.outcome.bytes).payloads
      #expect(result.map { $0.object["attachments"] != nil } == [false, true])
      let report = try json(enrichment.report)
      #expect(report["envelope"]?.string == "sns")
      let payloads = report["payloads"]?.elements.map { $0 } ?? []
      #expect(payloads.map { $0["at"]?.string } == ["APNS", "APNS_SANDBOX"])
      #expect(payloads.map { $0["outcome"]?.string } == ["unmodified", "enriched"])
      #expect(payloads.map { $0["reason"]?.string } == ["http-status", nil])
    }
  }

  @Test("all stay as they are if all are required and one fails") func all() async throws {
    try await withHostileServer { server in
      let message = try Self.message(
        ("APNS", server.url(.serve(.notFoundPage))), ("APNS_SANDBOX", server.url(Self.photo)))
      let enrichment = try await Self.enrich(message, server) { $0.requiresAll = true }
      #expect(enrichment.outcome.bytes == message.bytes)
      #expect(enrichment.outcome.failure?.reason == .httpStatus)
      let payloads = try json(enrichment.report)["payloads"]?.elements.map { $0["outcome"]?.string } ?? []
      #expect(payloads == ["unmodified", "unmodified"])
    }
  }

  @Test("of which one is broken are enriched but for that, unless all are required") func broken()
    async throws
  {
    try await withHostileServer { server in
      let payload = #"{"aps":\#(Self.aps),"media":"\#(server.url(Self.photo))"}"#
      let message = try PushMessage(
        Array(#"{"a":"{","b":\#(payload),"c":7}"#.utf8),
        .places(["a", "b", "c", "d"].map { try MediaKey($0) }))
      let enrichment = try await Self.enrich(message, server)
      #expect(enrichment.outcome.name == "enriched")
      let payloads = try json(enrichment.report)["payloads"]?.elements.map { $0 } ?? []
      #expect(payloads.map { $0["at"]?.string } == ["a", "b", "c"])
      #expect(payloads.map { $0["reason"]?.string } == ["invalid-payload", nil, "invalid-payload"])
      #expect(enrichment.report.failures.map(\.path) == ["a", "c"])
      let all = try await Self.enrich(message, server) { $0.requiresAll = true }
      #expect(all.outcome.bytes == message.bytes)
      #expect(all.outcome.failure?.reason == .invalidPayload)
    }
  }

  @Test("that are left out are named with the reasons, at most ten of them, in visible ASCII") func leftOut()
    async throws
  {
    try await withHostileServer { server in
      let payload = #"{"aps":\#(Self.aps),"media":"\#(server.url(Self.photo))"}"#
      func report(_ places: [(key: String, value: String)]) async throws -> Report {
        let members = places.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
        let keys = try places.map { try MediaKey(MediaKey.escape($0.key)) }
        let message = try PushMessage(Array("{\(members)}".utf8), .places(keys))
        return try await Self.enrich(message, server).report
      }
      let long = String(repeating: "x", count: 65)
      let some = try await report([
        ("good", payload), ("b", "1"), ("ü", "{}"), (long, "1"), ("a,b", #"{"aps":{"mutable-content":1}}"#),
      ])
      #expect(
        some.leftOut
          == "4 of 5: b invalid-payload, #2 not-mutable, #3 invalid-payload, #4 no-alert")
      let many = try await report([("good", payload)] + (0..<99).map { ("p\($0)", "1") })
      let names = (0..<10).map { "p\($0) invalid-payload" }.joined(separator: ", ")
      #expect(many.leftOut == "99 of 100: \(names), and 89 more")
      #expect(try await report([("good", payload)]).leftOut == nil)
      #expect(try await report([("b", "{}"), ("c", "{}")]).leftOut == nil)
    }
  }

  @Test("share one download of equal URLs") func once() async throws {
    try await withHostileServer { server in
      let url = server.url(Self.photo)
      let message = try Self.message(("APNS", url), ("APNS_SANDBOX", url), ("MACOS", url))
      let enrichment = try await Self.enrich(message, server)
      let result = try PushMessage(enrichment.outcome.bytes).payloads
      #expect(result.count == 3 && result.allSatisfy { $0.object["attachments"] != nil })
      #expect(server.tally(of: Self.photo).requests == 1)
      #expect(enrichment.report.media.count == 1)
    }
  }

  @Test("fail with the first failure if all fail") func none() async throws {
    try await withHostileServer { server in
      let message = try Self.message(
        ("APNS", "https://"), ("APNS_SANDBOX", server.url(.serve(.notFoundPage))))
      let enrichment = try await Self.enrich(message, server)
      #expect(enrichment.outcome.bytes == message.bytes)
      #expect(enrichment.outcome.failure != nil)
    }
  }
}

/// A message with a payload of a certain size, and the push type that it is sent with.
private struct SizedMessage: CustomTestStringConvertible {
  let testDescription: String
  let maximum: Int
  /// `PAD` stands for padding that counts towards the size, and `URL` for the URL of the medium.
  let message: String
  /// The texts in the message whose sizes are counted.
  let counted: [String]
}

@Suite("The size of a payload in a message")
struct EnvelopeSizeTests {
  private static let photo = Behaviour.serve(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg"))
  private static let aps = #"{"alert":"PAD","mutable-content":1}"#

  private static let rows = [
    SizedMessage(
      testDescription: "FCM: payload, texts and data", maximum: 4_096,
      message:
        #"{"message":{"token":"tttttttt","notification":{"body":"PAD"},"data":{"media":"URL"},"apns":{"payload":{"aps":{"mutable-content":1}}}}}"#,
      counted: [#""PAD""#, #"{"media":"URL"}"#, #"{"aps":{"mutable-content":1}}"#]),
    SizedMessage(
      testDescription: "FCM as VoIP", maximum: 5_120,
      message:
        #"{"message":{"token":"t","apns":{"headers":{"apns-push-type":"VOIP"},"payload":{"aps":\#(aps),"media":"URL"}}}}"#,
      counted: [#"{"aps":\#(aps),"media":"URL"}"#]),
    SizedMessage(
      testDescription: "Expo: texts and data", maximum: 4_096,
      message: #"{"to":"tttttttt","title":"PAD","mutableContent":true,"richContent":{"image":"URL"}}"#,
      counted: [#""PAD""#, #"{"image":"URL"}"#]),
    SizedMessage(
      testDescription: "a payload behind the name of another member", maximum: 4_096,
      message: #"{"id":"xxxxxxxxxxxx","payload":{"aps":\#(aps),"media":"URL"}}"#,
      counted: [#"{"aps":\#(aps),"media":"URL"}"#]),
  ]

  @Test("is what counts for the service, to the byte", arguments: rows)
  fileprivate func edge(row: SizedMessage) async throws {
    let photo = Self.photo
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        let enricher = try Enricher(settings: .reaching(server.port, store: store))
        func enrich(padding: Int) async throws -> (input: PushMessage, Outcome) {
          let text = row.message.replacing("PAD", with: String(repeating: "a", count: padding))
            .replacing("URL", with: server.url(photo))
          let message = try PushMessage(Array(text.utf8))
          return (message, await enricher.enrich(message).outcome)
        }
        let (small, outcome) = try await enrich(padding: 3)
        #expect(outcome.name == "enriched")
        // The size of the picture is left out if there is no room for it.
        let facts = #","width":320,"height":240"#
        #expect(String(decoding: outcome.bytes, as: UTF8.self).contains(facts))
        let added = outcome.bytes.count - small.bytes.count - facts.utf8.count
        let urlGrowth = server.url(photo).utf8.count - 3
        let counted = row.counted.reduce(0) { $0 + $1.utf8.count + ($1.contains("URL") ? urlGrowth : 0) }
        let padding = 3 + row.maximum - counted - added
        #expect(try await enrich(padding: padding).1.name == "enriched")
        let (large, refused) = try await enrich(padding: padding + 1)
        #expect(refused.bytes == large.bytes)
        #expect(refused.failure?.reason == .payloadTooLarge)
        let sizes = "would be \(row.maximum + 1) bytes, 1 more than the \(row.maximum)"
        #expect(refused.failure?.detail.contains(sizes) == true, "\(String(describing: refused.failure))")
      }
    }
  }

  @Test("of a background push does not matter: it stays as it is") func background() async throws {
    try await withTemporaryDirectory { store in
      let enricher = try Enricher(settings: .reaching(store: store))
      let message = try PushMessage(
        Array(
          #"{"message":{"token":"t","apns":{"headers":{"apns-push-type":"background"},"payload":{"aps":\#(Self.aps),"media":"https://a/"}}}}"#
            .utf8))
      // Headers inside the message have precedence over those of the delivery.
      let outcome = await enricher.enrich(message, pushType: .alert).outcome
      #expect(outcome.failure?.reason == .notMutable)
    }
  }
}
