import TestSupport
import Testing

@testable import Notifications

@Suite("The rows of the envelopes")
struct EnvelopeRowTests {
  private static func message(_ text: String, _ choice: EnvelopeChoice = .automatic) throws -> PushMessage {
    try PushMessage(Array(text.utf8), choice)
  }

  @Test("know their indices") func indices() {
    #expect(Envelope.known.map(\.index) == Array(Envelope.known.indices))
  }

  @Test(
    "take each message by itself: one may be broken",
    arguments: [
      (
        #"{"APNS":"{\"aps\":{}}","APNS_SANDBOX":"{\"aps\":"}"#, ["APNS", "APNS_SANDBOX"],
        [nil, EnvelopeError.notJSON(place: "APNS_SANDBOX", .end(7, expected: .value))]
      ),
      (
        #"{"APNS":5,"APNS_SANDBOX":"{}","MACOS":null}"#, ["APNS", "APNS_SANDBOX"],
        [EnvelopeError.notAnObject(place: "APNS", .number), nil]
      ),
      (
        #"[{"to":"t","title":"a"},{"to":"t","title":"a","data":"{}"}]"#, ["0.data", "1"],
        [nil, .notAnObject(place: "1.data", .string)]
      ),
      (
        #"[{"token":"t","apns":{"payload":[]}},{"token":"t","apns":{"payload":{}}}]"#,
        ["0", "1.apns.payload"], [.notAnObject(place: "0.apns.payload", .array), nil]
      ),
      (
        #"{"notifications":[{"platform":1,"title":"a","data":1},{"platform":1,"title":"a","data":{}}]}"#,
        ["notifications.0", "notifications.1.data"],
        [.notAnObject(place: "notifications.0.data", .number), nil]
      ),
    ] as [(String, [String], [EnvelopeError?])])
  func broken(text: String, paths: [String], problems: [EnvelopeError?]) throws {
    let message = try Self.message(text)
    #expect(message.problem == nil)
    #expect(message.payloads.map(\.path) == paths)
    #expect(message.payloads.map(\.problem) == problems)
  }

  @Test(
    "have a problem if all messages are broken: the first one",
    arguments: [
      (
        #"{"APNS":"{","APNS_SANDBOX":"x"}"#,
        EnvelopeError.notJSON(place: "APNS", .end(1, expected: .nameOrBrace))
      ),
      (#"[{"to":"t","title":"a","data":"{}"}]"#, .notAnObject(place: "0.data", .string)),
    ])
  func allBroken(text: String, problem: EnvelopeError) throws {
    let message = try Self.message(text)
    #expect(message.payloads.isEmpty && message.problem == problem)
  }

  /// The choice, the message, and the path of its payload.
  @Test(
    "of FCM exclude each other: HTTP v1 counts, unless only the other one has a payload",
    arguments: [
      (
        EnvelopeChoice.automatic,
        #"{"message":{"token":"t","apns":{"payload":{}}},"token":"t","apns":{"payload":{}}}"#,
        "message.apns.payload"
      ),
      (
        .automatic, #"{"message":{"token":"t","data":{}},"token":"t","apns":{"payload":{}}}"#, "apns.payload"
      ),
      (.automatic, #"{"message":{"token":"t","data":{}},"token":"t","apns":{}}"#, "message"),
      (.automatic, #"{"message":{"id":1},"token":"t","apns":{"payload":{}}}"#, "apns.payload"),
      (.named("fcm"), #"{"message":{"id":1},"apns":{"payload":{}}}"#, "apns.payload"),
      (.named("fcm"), #"{"message":{"apns":{"payload":{}}},"apns":{"payload":{}}}"#, "message.apns.payload"),
      (
        .automatic, #"{"job":{"message":{"token":"t","data":{}},"token":"t","apns":{"payload":{}}}}"#,
        "job.apns.payload"
      ),
    ])
  func twofold(choice: EnvelopeChoice, text: String, path: String) throws {
    let message = try Self.message(text, choice)
    #expect(message.problem == nil && message.envelope == "fcm")
    #expect(message.payloads.map(\.path) == [path])
  }

  @Test("of different services at a named place are too many") func ambiguous() throws {
    let text = #"{"a":{"to":"t","mutableContent":true,"app_id":"i","contents":{}}}"#
    let message = try Self.message(text, .places([MediaKey("a")]))
    let candidates = ["expo", "onesignal"].map { EnvelopeError.Candidate(envelope: $0, path: "a") }
    #expect(message.problem == .ambiguous(candidates))
    #expect(
      message.problem?.advice == "choose with --envelope, or name the place of the payload with --payload-at")
  }

  @Test(
    "or payloads at several places: the advice has the options that name all of them",
    arguments: [
      (#"[{"aps":{}},{"aps":{}}]"#, "'*'"),
      (#"[{"a.b":{"aps":{}}},{"a.b":{"aps":{}}}]"#, #"'*.a\.b'"#),
      (#"{"ios":{"aps":{}},"my ios":{"aps":{}}}"#, "ios --payload-at 'my ios'"),
      (#"{"a":{"aps":{}},"b":{"token":"t","apns":{"payload":{}}}}"#, "a --payload-at b"),
      (#"{"a":[{"aps":{}},{"aps":{}},{"aps":{}},{"aps":{}},{"aps":{}}]}"#, "'a.*'"),
    ])
  func places(text: String, options: String) throws {
    let problem = try #require(try Self.message(text).problem)
    #expect(problem.advice == "if all of them are meant, name their places: --payload-at \(options)")
  }

  @Test("or payloads at four places or more: the advice has no options") func manyPlaces() throws {
    let text = #"{"a":{"aps":{}},"b":{"aps":{}},"c":{"aps":{}},"d":{"aps":{}}}"#
    #expect(try Self.message(text).problem?.advice.hasPrefix("choose with --envelope") == true)
  }

  @Test("of FCM take a list of HTTP v1 bodies") func list() throws {
    let message = try Self.message(
      #"[{"message":{"token":"t","apns":{"payload":{}}}},{"message":{"topic":"t","data":{}}}]"#)
    #expect(message.problem == nil && message.envelope == "fcm")
    #expect(message.payloads.map(\.path) == ["0.message.apns.payload", "1.message"])
  }

  @Test(
    "of gorush take notifications for iOS only",
    arguments: [
      ("1", true), ("1.0", true), ("2", false), ("3", false), ("0", false), (#""1""#, false), ("null", false),
    ])
  func platform(platform: String, isPayload: Bool) throws {
    let notification = #"{"tokens":["t"],"platform":\#(platform),"title":"x","mutable_content":true}"#
    let ios = #"{"tokens":["t"],"platform":1,"title":"x"}"#
    let message = try Self.message(#"{"notifications":[\#(notification),\#(ios)]}"#)
    let paths = ["notifications.1.data"]
    #expect(message.payloads.map(\.path) == (isPayload ? ["notifications.0.data"] + paths : paths))
  }

  /// docs.jiguang.cn/en/jpush/server/push/rest_api_v3_push; mercari/gaurun, gaurun/notification.go
  @Test(
    "do not take messages of JPush for Airship's, nor Gaurun's for gorush's",
    arguments: [
      (
        #"{"platform":["ios"],"audience":"all","notification":{"ios":{"alert":"x","mutable-content":true,"extras":{}}}}"#,
        ["platform", "audience", "notification"]
      ),
      (
        #"{"notifications":[{"token":["t"],"platform":1,"message":"x","mutable_content":true,"extend":[]}]}"#,
        ["notifications"]
      ),
    ])
  func neighbours(text: String, names: [String]) throws {
    #expect(try Self.message(text).problem == .nothing(seen: names, aps: nil))
  }

  @Test(
    "take a message with null for a member that only others have",
    arguments: [
      (#"{"message":{"token":"t","to":null,"platform":null,"apns":{"payload":{}}}}"#, "message.apns.payload"),
      (#"{"to":"ExpoPushToken[t]","title":"x","platform":null}"#, "data"),
      (#"{"platform":null,"audience":"all","notification":{"ios":{}}}"#, "notification.ios.extra"),
      (#"{"notifications":[{"token":null,"platform":1,"message":"x"}]}"#, "notifications.0.data"),
    ])
  func nulls(text: String, path: String) throws {
    let message = try Self.message(text)
    #expect(message.problem == nil && message.payloads.map(\.path) == [path])
  }

  @Test(
    "say what is wrong with a place",
    arguments: [
      (
        EnvelopeError.notJSON(place: "a", .end(1, expected: .nameOrBrace)),
        "the text at a is not JSON: line 1, column 2 (byte 1): found the end of the text, "
          + "expected a member name in double quotes or “}”"
      ),
      (.tooManyStrings(place: "a"), "the text at a is JSON encoded as a string more than twice"),
      (.notAnObject(place: "a", .string), "the value at a is not a JSON object, but a string"),
      (.notAnObject(place: "a", .boolean), "the value at a is not a JSON object, but true or false"),
      (.tooMany, "it has more than 100 messages, which is the limit"),
    ])
  func words(error: EnvelopeError, says: String) { #expect("\(error)" == says) }

  @Test(
    "advise what the place takes",
    arguments: [
      (
        EnvelopeError.notJSON(place: "a", .byteOrderMark),
        "send a JSON object there, or the whole text of one with its quotes escaped once"
      ),
      (.tooManyStrings(place: "a"), "encode the payload once: strings are opened twice at most"),
      (.notAnObject(place: "a", .string), "send the JSON object itself there, not as a string"),
      (.notAnObject(place: "a", .array), "send a JSON object there"),
    ])
  func advice(error: EnvelopeError, says: String) { #expect(error.advice == says) }

  private static func texts(
    _ alert: String, at place: String, inside frame: (String) -> String
  ) throws -> String? {
    let media = #""_sw":{"media":{"url":"https://a/b.jpg","title":"T","body":"B"}}"#
    let message = try message(frame(#"{"aps":{"alert":\#(alert)},\#(media)}"#))
    let payload = try #require(message.payloads.first)
    let edits = payload.applyingTexts(of: payload.mediaReferences())
    let root = try JSONDocument(payload.applying(edits)).root
    return root[try MediaKey(place)]?.spelling
  }

  /// github.com/firebase/firebase-admin-node, src/messaging/messaging-internal.ts, `validateApsAlert`.
  @Test("of FCM drop the localized keys of texts that are replaced, in the spelling of Node as well")
  func camelCase() throws {
    let alert =
      #"{"titleLocKey":"A","titleLocArgs":["1"],"subtitleLocKey":"B","locKey":"C","locArgs":[],"loc-key":"D","launchImage":"L"}"#
    #expect(
      try Self.texts(alert, at: "apns.payload.aps.alert") { #"{"token":"t","apns":{"payload":\#($0)}}"# }
        == #"{"subtitleLocKey":"B","launchImage":"L","title":"T","body":"B"}"#)
    // HTTP v1 does not know these names, and they are custom members there.
    #expect(
      try Self.texts(
        #"{"titleLocKey":"A","loc-key":"D"}"#, at: "message.apns.payload.aps.alert",
        inside: { #"{"message":{"token":"t","apns":{"payload":\#($0)}}}"# })
        == #"{"titleLocKey":"A","title":"T","body":"B"}"#)
  }

  @Test("of FCM keep the lines beside the alert for decrypted content that has others")
  func disclosedBesideLines() throws {
    for (content, alert) in [
      (#"{"title":"T"}"#, #"{"title":"T","body":"b"}"#), (#"{"body":"B"}"#, #"{"body":"B","title":"a"}"#),
      (#"{"loc-key":"K"}"#, #"{"loc-key":"K","title":"a"}"#),
    ] {
      let message = try Self.message(
        #"{"message":{"token":"t","notification":{"title":"a","body":"b"},"apns":{"payload":{"aps":{},"x":1}}}}"#
      )
      let payload = try #require(message.payloads.first)
      let plain = try #require(PlainContent(JSONDocument(Array(content.utf8))))
      let root = try JSONDocument(payload.applying(payload.disclosing(plain, insteadOf: ["x"]))).root
      #expect(root[try MediaKey("message.apns.payload.aps.alert")]?.spelling == alert)
    }
  }

  @Test("of FCM drop them for decrypted content, too") func disclosed() throws {
    let message = try Self.message(
      #"{"token":"t","apns":{"payload":{"aps":{"alert":{"titleLocKey":"A","titleLocArgs":["1"]}},"x":1}}}"#)
    let payload = try #require(message.payloads.first)
    let content = try #require(PlainContent(JSONDocument(Array(#"{"title":"T"}"#.utf8))))
    let bytes = try payload.applying(payload.disclosing(content, insteadOf: ["x"]))
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"token":"t","apns":{"payload":{"aps":{"alert":{"title":"T"}}}}}"#)
  }
}

extension JSONError {
  /// The error at the end of a text of this many bytes, which is one line of ASCII.
  static func end(_ count: Int, expected: JSONExpectation) -> JSONError {
    found(nil, count, expected: expected)
  }

  /// Found in a line of ASCII.
  static func found(_ byte: UInt8?, _ offset: Int, expected: JSONExpectation) -> JSONError {
    .unexpected(byte, JSONPosition(offset: offset, line: 1, column: offset + 1), expected: expected)
  }
}
