import Enriching
import Misbehaving
import Notifications
import TestSupport
import Testing

@Suite("Messages with payloads in them")
struct EnvelopeOptionTests {
  private static let aps = #""aps":{"alert":"Hello","mutable-content":1}"#

  /// The path, the message, and what is said about it. Nothing is fetched.
  @Test(
    "that are broken go out byte for byte, and the reason names the place",
    arguments: [
      (
        #"{"default":"x","APNS":"{\"aps\":{\"alert\":","GCM":"{}"}"#, Reason.invalidPayload,
        "the text at APNS is not JSON: line 1, column 17 (byte 16): found the end of the text"
      ),
      (
        #"{"message":{"token":"t","apns":{"payload":"{\"aps\":{}}"}}}"#, .invalidPayload,
        "the value at message.apns.payload is not a JSON object, but a string"
      ),
      (
        #"{"message":{"token":"t","apns":{"payload":[]}}}"#, .invalidPayload,
        "the value at message.apns.payload is not a JSON object, but a list"
      ),
      (
        #"{"APNS":"{}","notifications":[{"platform":1,"message":"x"}]}"#, .invalidPayload,
        "in several envelopes: “sns”, “gorush”"
      ),
      (#"{"payload":{\#(aps)},"body":"{\"aps\":{}}"}"#, .invalidPayload, "“payload”, “body”"),
      (#"{"a":{"b":{"c":"{\"d\":{\"e\":{\"f\":{\"aps\":{}}}}}"}}}"#, .noAPS, "--payload-at a.b.c.d.e.f"),
      (#"{"kind":"letter","n":1}"#, .noAPS, "its members: “kind”, “n”"),
      (
        #"{"id":7,"body":"{\"aps\":{\"alert\":\"x\""}"#, .invalidPayload,
        "the text at body is not JSON: line 1, column 20 (byte 19): found the end of the text"
      ),
    ])
  func broken(message: String, reason: Reason, says: String) async throws {
    let enriched = try await enrich(Array(message.utf8))
    #expect(enriched.run.output == message)
    #expect(enriched.reason == reason.rawValue)
    #expect(enriched.run.termination == .exited(reason == .noAPS ? 0 : 3))
    #expect(enriched.line.contains(says), "\(enriched.line)")
  }

  @Test("at named places fail by themselves, and the message is broken if all are") func places() async throws
  {
    let places = ["--payload-at", "a", "--payload-at", "b", "--explain"]
    let one = try await enrich(Array(#"{"a":"{'aps': {}}","b":{\#(Self.aps)}}"#.utf8), places)
    #expect(one.reason == "invalid-payload")
    #expect(one.told.contains { $0.contains("the text at a is not JSON: line 1, column 2") }, "\(one.told)")
    #expect(one.told.contains { $0.hasPrefix("left out b: no-media: ") }, "\(one.told)")
    let all = try await enrich(Array(#"{"a":1,"b":"{"}"#.utf8), places)
    #expect(all.told.contains { $0.contains("the value at a is not a JSON object, but a number") })
    // Many senders write null for what is missing.
    let missing = try await enrich(Array(#"{"a":null,"b":{\#(Self.aps)}}"#.utf8), places)
    #expect(missing.reason == "no-media")
  }

  @Test("that are left out are in the line") func leftOut() async throws {
    try await withHostileServer { server in
      let payload = #"{\#(Self.aps),"media":"\#(server.url(.serve(.photo)))"}"#
      let text = payload.replacing("\"", with: #"\""#)
      let message = #"{"APNS":"\#(text)","APNS_SANDBOX":"\#(text.dropLast())"}"#
      let enriched = try await enrich(Array(message.utf8), reaching(server.port))
      #expect(enriched.outcome == "enriched")
      #expect(enriched.line.hasSuffix("; left out 1 of 2: APNS_SANDBOX invalid-payload"), "\(enriched.line)")
      #expect(enriched.run.output.hasSuffix(#","APNS_SANDBOX":"\#(text.dropLast())"}"#))
    }
  }

  @Test("that are left out are in the line before the warnings of the others") func warned() async throws {
    try await withHostileServer { server in
      let clip = Response(.file("\(Fixtures.policy)/av1-in-mp4.mp4"), as: "video/mp4")
      let payload = #"{\#(Self.aps),"media":"\#(server.url(.serve(clip), file: "clip.mp4"))"}"#
      let message = #"{"APNS":"\#(payload.replacing("\"", with: #"\""#))","APNS_SANDBOX":"{}"}"#
      let enriched = try await enrich(Array(message.utf8), reaching(server.port))
      let rest =
        "; left out 1 of 2: APNS_SANDBOX not-mutable; 1 warning: AV1: only devices that decode it in hardware show it; H.264 is safe"
      #expect(enriched.line.hasSuffix(rest), "\(enriched.line)")
    }
  }

  @Test("are at most 100 in one message") func many() async throws {
    let message = #"{"to":"t","title":"x","mutableContent":true}"#
    for (count, reason) in [(100, "no-media"), (101, "invalid-payload"), (1_000, "invalid-payload")] {
      let all = "[\(Array(repeating: message, count: count).joined(separator: ","))]"
      let enriched = try await enrich(Array(all.utf8))
      #expect(enriched.run.output == all)
      #expect(enriched.reason == reason)
      if count > 100 {
        #expect(
          enriched.line.contains("it has more than 100 messages, which is the limit"), "\(enriched.line)")
      }
    }
  }

  @Test("are read as the options say") func options() async throws {
    try await withHostileServer { server in
      let url = server.url(.serve(.photo))
      let reaching = reaching(server.port)
      // OneSignal and gorush at once: the name chooses.
      let both = Array(
        #"{"app_id":"a","contents":{"en":"x"},"ios_attachments":{"i":"\#(url)"},"notifications":[{"platform":1,"message":"m"}]}"#
          .utf8)
      #expect(try await enrich(both, reaching).reason == "invalid-payload")
      let named = try await enrich(both, reaching + ["--envelope", "onesignal"])
      #expect(named.outcome == "enriched" && named.report?.root["envelope"]?.string == "onesignal")
      let other = try await enrich(both, reaching + ["--envelope", "sns"])
      #expect(other.run.standardOutput == both)
      #expect(other.reason == "invalid-payload")
      #expect(other.line.contains("it is not an envelope of the kind 'sns'"), "\(other.line)")
      // Without envelopes, only the message itself is a payload.
      let wrapped = Array(#"{"payload":{\#(Self.aps),"media":"\#(url)"}}"#.utf8)
      #expect(try await enrich(wrapped, reaching + ["--envelope", "none"]).reason == "no-aps")
      let bare = try await enrich(Push.naming(url), reaching + ["--envelope", "none"])
      #expect(bare.outcome == "enriched" && bare.report?.root["envelope"] == nil)
      let missing = try await enrich(Push.naming(url), reaching + ["--payload-at", "data.push"])
      #expect(missing.reason == "invalid-payload")
      #expect(missing.line.contains("there is no payload at “data.push”"), "\(missing.line)")
    }
  }

  @Test(
    "have options that exclude each other",
    arguments: [
      (["--envelope", "letter"], "'letter' is not a known envelope: write one of fcm, sns, expo, "),
      (["--payload-at", "a..b"], "--payload-at: “a..b”"),
      (["--envelope", "fcm", "--payload-at", "a"], "give one of the two, --envelope or --payload-at"),
    ])
  func usage(options: [String], says: String) async throws {
    let enriched = try await enrich(Array("{}".utf8), options)
    #expect(enriched.run.termination == .exited(64))
    #expect(enriched.run.standardError.contains(says), "\(enriched.run.standardError)")
  }
}
