import Notifications
import Queueing
import Testing

@testable import Sending

@Suite struct PushRequestTests {
  static let token = String(repeating: "0a1b", count: 16)
  static let alert = #"{"aps":{"alert":"Hello"}}"#

  static func request(
    _ headers: [(String, String)] = [], body: String = alert, topic: String? = "com.example.app",
    now: Int = 1_000_000
  ) throws(Rejection) -> PushRequest {
    let all = [("device-token", token)] + headers
    let message = Message(id: "m1", body: Array(body.utf8), headers: all.map { Header($0.0, $0.1) })
    return try PushRequest(message, topic: topic, now: now)
  }

  /// Why a message is rejected: the reason and the sentence.
  static func rejection(
    _ headers: [(String, String)] = [], body: String = alert, topic: String? = "com.example.app"
  ) -> String? {
    do throws(Rejection) {
      _ = try request(headers, body: body, topic: topic)
      return nil
    } catch {
      return "\(error.reason): \(error.detail)"
    }
  }

  @Test func plainMessageHasTheDefaults() throws {
    let request = try Self.request()
    #expect(request.device == Self.token)
    #expect(request.topic == "com.example.app")
    let id = try #require(request.id)
    #expect(
      request.headers == [
        Header("apns-topic", "com.example.app"), Header("apns-push-type", "alert"), Header("apns-id", id),
      ])
    #expect(request.body == Array(Self.alert.utf8))
  }

  @Test func everyHeaderIsTakenInAnyCase() throws {
    let request = try Self.request([
      ("APNS-Topic", " com.example.other\t"), ("Apns-Push-Type", "Alert"),
      ("apns-id", "123E4567-E89B-12D3-A456-4266554400A0"), ("APNS-PRIORITY", "5"),
      ("apns-expiration", "1000001"), ("apns-collapse-id", "Spiel Köln:Bonn"),
      ("authorization", "bearer x"), (":path", "/"),
    ])
    #expect(
      request.headers == [
        Header("apns-topic", "com.example.other"), Header("apns-push-type", "alert"),
        Header("apns-id", "123e4567-e89b-12d3-a456-4266554400a0"), Header("apns-priority", "5"),
        Header("apns-expiration", "1000001"), Header("apns-collapse-id", "Spiel Köln:Bonn"),
      ])
    #expect(request.expiration == 1_000_001)
    #expect(request.expiry(at: 1_000_000) == nil)
    #expect(
      request.expiry(at: 1_000_002)
        == Rejection("expired", detail: "it expired 1 s ago (apns-expiration), so it was not sent"))
  }

  @Test func emptyHeadersAreNotSet() throws {
    let request = try Self.request([("apns-collapse-id", ""), ("apns-id", " "), ("apns-priority", "")])
    #expect(request.headers.map(\.name) == ["apns-topic", "apns-push-type", "apns-id"])
  }

  @Test(arguments: ["", " ", " 1970-01-02T00:00:00Z\t"]) func timeMayBeEmptyOrHaveSpaces(text: String) {
    #expect(Self.rejection([("send-at", text)]) == nil)
  }

  /// The id is the same for the same message, and different for another one.
  @Test func idIsMadeFromTheMessage() throws {
    let ids = try ["a", "a", "b"].map {
      try PushRequest(
        Message(id: $0, body: Array(Self.alert.utf8), headers: [Header("device-token", Self.token)]),
        topic: "t", now: 0
      ).id
    }
    #expect(ids[0] == ids[1] && ids[0] != ids[2])
    // SHA-256 of "a": ca978112ca1bbdcafac231b39a23dc4d…
    #expect(ids[0] == "ca978112-ca1b-8dca-bac2-31b39a23dc4d")
  }

  @Test(arguments: [
    (#"{"aps":{"alert":"a"}}"#, "com.example.app", "alert"),
    (#"{"aps":{"badge":0,"content-available":1}}"#, "com.example.app", "alert"),
    (#"{"aps":{}}"#, "com.example.app", "alert"),
    (#"{"aps":{"content-available":1}}"#, "com.example.app", "background"),
    (#"{"aps":{"content-available":1,"alert":null},"k":{"alert":"a"}}"#, "com.example.app", "background"),
    (#"{"aps":{"content-available":true}}"#, "com.example.app", "background"),
    (#"{"caller":"Anna"}"#, "com.example.app.voip", "voip"),
    (#"{"aps":{}}"#, "com.example.app.voip-ptt", "pushtotalk"),
    (#"{"aps":{"event":"end"}}"#, "com.example.app.push-type.liveactivity", "liveactivity"),
    ("{}", "pass.com.example.ticket", "background"),
  ]) func typeComesFromTopicAndPayload(body: String, topic: String, type: String) throws {
    let request = try Self.request(body: body, topic: topic)
    #expect(request.headers.first { $0.name == "apns-push-type" }?.value == type)
    #expect(request.topic == topic)
    let priority = request.headers.first { $0.name == "apns-priority" }?.value
    #expect(priority == (type == "background" ? "5" : nil))
  }

  @Test(arguments: PushType.allCases) func topicGetsTheSuffixOfTheType(type: PushType) throws {
    for topic in ["com.example.app", "com.example.app" + type.topicSuffix] {
      let request = try Self.request([("apns-push-type", type.rawValue)], topic: topic)
      #expect(request.topic == "com.example.app" + type.topicSuffix)
    }
  }

  @Test(arguments: [
    (
      [("apns-push-type", "silent")],
      "header-invalid: its header apns-push-type is not a push type (“silent”): "
    ),
    (
      [("apns-priority", "high")],
      "header-invalid: its header apns-priority is not 10, 5 or 1 (“high”): "
    ),
    (
      [("apns-push-type", "background"), ("apns-priority", "10")],
      "header-invalid: its header apns-priority is 10 for a background push: APNs takes 5 or 1, so leave it out"
    ),
    (
      [("apns-expiration", "tomorrow")],
      "header-invalid: its header apns-expiration is not a number of seconds (“tomorrow”)"
    ),
    ([("apns-expiration", "-1")], "header-invalid: its header apns-expiration is not a number"),
    (
      [("apns-expiration", "99999999999999999999")],
      "header-invalid: its header apns-expiration is not a number"
    ),
    (
      [("apns-expiration", "1764270000000")],
      "header-invalid: its header apns-expiration looks like milliseconds"
    ),
    ([("apns-expiration", "999999")], "expired: it expired 1 s ago"),
    ([("apns-expiration", "1000000")], "expired: it expired 0 s ago"),
    (
      [("apns-collapse-id", String(repeating: "ä", count: 33))],
      "header-invalid: its header apns-collapse-id has 66 bytes"
    ),
    (
      [("apns-collapse-id", "a\r\nb: c")],
      "header-invalid: its header apns-collapse-id has a control character"
    ),
    ([("apns-id", "17")], "header-invalid: its header apns-id is not a UUID (“17”): "),
    ([("apns-id", "123e4567e89b12d3a4564266554400a0")], "header-invalid: its header apns-id is not a UUID"),
    ([("apns-topic", "com example")], "header-invalid: its header apns-topic is not a bundle id"),
    (
      [("apns-topic", String(repeating: "a", count: 3_000))],
      "header-invalid: its header apns-topic has 3000 bytes"
    ),
    ([("cut-headers", "300000")], "header-invalid: its headers were too long"),
  ]) func wrongHeadersAreRejected(headers: [(String, String)], text: String) {
    let rejection = Self.rejection(headers)
    #expect(rejection?.hasPrefix(text) == true, "\(rejection ?? "none")")
  }

  @Test func expirationOfZeroIsKept() throws {
    let request = try Self.request([("apns-expiration", "0")])
    #expect(request.headers.last == Header("apns-expiration", "0"))
    #expect(request.expiry(at: .max) == nil)
  }

  @Test func missingTopicIsRejected() {
    #expect(
      Self.rejection(topic: nil)?.hasPrefix("header-invalid: it has no header apns-topic: add it") == true)
  }

  @Test(arguments: [
    ("", "it is empty: "), ("{", "it is not JSON: line 1"), ("[1]", "it is a list"),
    (#"{"aps":"a"}"#, "its aps is a string"), (#"{"aps":null}"#, "its aps is null"),
    ("{}", "it has no aps: "), (#"{"alert":"Hello"}"#, "it has no aps: "),
    (
      #"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":"a"}}}}}"#,
      "it is a message for fcm: APNs takes the payload alone: put only the object at message.apns.payload into the queue"
    ),
    (#"{"APNS":"{\"aps\":{\"alert\":\"a\"}}","default":"a"}"#, "it is a message for sns: "),
    (#"{"to":"ExponentPushToken[a]","title":"a","body":"b"}"#, "it is a message for expo: "),
    (#"{"app_id":"a","contents":{"en":"a"}}"#, "it is a message for onesignal: "),
    (#"{"audience":"all","notification":{"alert":"a"}}"#, "it is a message for airship: "),
    (#"{"notifications":[{"tokens":["a"],"platform":1,"message":"a"}]}"#, "it is a message for gorush: "),
    (
      #"{"payload":{"aps":{"alert":"a"}}}"#,
      "its aps is further inside: APNs takes the payload alone: put only the object at payload into the queue"
    ),
  ]) func whatIsNoPayloadIsRejected(body: String, text: String) {
    let rejection = Self.rejection(body: body)
    #expect(rejection?.hasPrefix("payload-invalid: \(text)") == true, "\(rejection ?? "none")")
  }

  @Test func envelopeIsNoPayloadForVoIPEither() {
    let body = #"{"message":{"token":"t","apns":{"payload":{"aps":{}}}}}"#
    #expect(Self.rejection(body: body, topic: "com.example.app.voip")?.contains("a message for fcm") == true)
  }

  @Test(arguments: [("alert", 4_096), ("voip", 5_120), (nil, 4_096)] as [(String?, Int)])
  func limitsAreThoseOfTheType(type: String?, maximum: Int) throws {
    let headers = type.map { [("apns-push-type", $0)] } ?? []
    func body(_ count: Int) -> String {
      let frame = #"{"aps":{"alert":""}}"#
      return #"{"aps":{"alert":""# + String(repeating: "a", count: count - frame.utf8.count) + #""}}"#
    }
    _ = try Self.request(headers, body: body(maximum))
    let rejection = Self.rejection(headers, body: body(maximum + 1))
    #expect(
      rejection?.hasPrefix("payload-too-large: it has \(maximum + 1) bytes: APNs takes at most \(maximum)")
        == true)
  }
}
