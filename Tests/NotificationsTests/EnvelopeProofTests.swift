import Testing

@testable import Notifications

/// Messages that people have made up, with the names of members that FCM, Expo or others use.
@Suite("Messages that only look like those of a service")
struct EnvelopeProofTests {
  private static let payload = #"{"aps":{"alert":"x","mutable-content":1},"media":"https://a.example/b.jpg"}"#
  private static let fcm = #"{"message":{"token":"a","apns":{"payload":{"aps":{}}}}}"#

  private static func found(in text: String) throws -> [String] {
    let text = text.replacing("PAYLOAD", with: payload).replacing("FCM", with: fcm)
    let message = try PushMessage(Array(text.utf8))
    return [message.envelope ?? message.problem?.description ?? "none"] + message.payloads.map(\.path)
  }

  @Test(
    "are searched further, and what is found inside counts",
    arguments: [
      // docs.dapr.io/developing-applications/building-blocks/pubsub/pubsub-cloudevents
      (#"{"topic":"pushes","specversion":"1.0","id":"1","data":PAYLOAD}"#, "wrapped", "data"),
      (#"{"topic":"pushes","specversion":"1.0","id":"1","data":FCM}"#, "fcm", "data.message.apns.payload"),
      // learn.microsoft.com/azure/event-grid/event-schema
      (#"[{"id":"1","topic":"/s","subject":"s","eventType":"P","data":PAYLOAD}]"#, "wrapped", "0.data"),
      // pusher.com/docs/beams/reference/publish-api
      (#"{"interests":["a"],"apns":PAYLOAD,"fcm":{"notification":{"title":"x"}}}"#, "wrapped", "apns"),
      // ably.com/docs/push/publish
      (
        #"{"recipient":{"clientId":"c"},"notification":{"title":"x"},"apns":PAYLOAD}"#, "wrapped", "apns"
      ),
      (#"{"overrides":{"apns":{"aps":{},"payload":{}}}}"#, "wrapped", "overrides.apns"),
      (#"{"token":"ab12","topic":"com.example","payload":PAYLOAD,"data":{"user":1}}"#, "wrapped", "payload"),
      (#"{"token":"ab12","notification":PAYLOAD}"#, "wrapped", "notification"),
      (#"{"to":"ab12","data":PAYLOAD}"#, "wrapped", "data"),
      (#"{"to":"ab12","title":"x","payload":PAYLOAD}"#, "wrapped", "payload"),
      (
        #"{"to":"bob","title":"x","message":{"token":"a","apns":{"payload":{}}}}"#, "fcm",
        "message.apns.payload"
      ),
      (#"{"a":{"to":"ab12","title":"x"},"b":PAYLOAD}"#, "wrapped", "b"),
    ])
  func inner(text: String, envelope: String, place: String) throws {
    #expect(try Self.found(in: text) == [envelope, place])
  }

  @Test(
    "count if there is nothing inside",
    arguments: [
      (#"{"message":{"token":"a","notification":{"title":"x"}}}"#, "fcm", "message"),
      (#"{"topic":"a","data":{"user":"1"}}"#, "fcm", ""),
      (#"{"to":"ab12","title":"x"}"#, "expo", "data"),
      (#"{"to":"ab12","title":"x","mutable-content":1}"#, "expo", "data"),
    ])
  func outer(text: String, envelope: String, place: String) throws {
    #expect(try Self.found(in: text) == [envelope, place])
  }

  @Test(
    "do not include messages with what only the service has",
    arguments: [
      (#"{"to":"ExponentPushToken[a]","data":PAYLOAD}"#, "expo", "data"),
      (#"{"to":["ExpoPushToken[a]","b"],"title":"x","payload":PAYLOAD}"#, "expo", "data"),
      (#"{"to":"a","title":"x","mutableContent":false,"data":PAYLOAD}"#, "expo", "data"),
      (#"{"token":"a","apns":{"payload":{}},"data":PAYLOAD}"#, "fcm", "apns.payload"),
    ])
  func proven(text: String, envelope: String, place: String) throws {
    #expect(try Self.found(in: text) == [envelope, place])
  }

  @Test("of FCM's legacy API are not taken for Expo's") func legacy() throws {
    let text = #"{"to":"f","data":{"title":"x","image":"https://a.example/b.jpg"},"mutable_content":true}"#
    #expect(try PushMessage(Array(text.utf8)).problem == .legacyFCM(place: ""))
  }

  @Test("without a payload say so") func missing() throws {
    func isMissing(_ text: String) throws -> [Bool] {
      try PushMessage(Array(text.utf8)).payloads.map(\.isMissing)
    }
    #expect(try isMissing(#"{"message":{"token":"a","notification":{"title":"x"}}}"#) == [true])
    #expect(try isMissing(#"{"message":{"token":"a","apns":{"payload":{}}}}"#) == [false])
    // Expo's can be created.
    #expect(try isMissing(#"{"to":"ExpoPushToken[a]","title":"x"}"#) == [false])
    #expect(try isMissing(#"{"payload":{"aps":{}}}"#) == [false])
  }

  @Test(
    "and are too deep are told a place that works, in a form that a shell takes",
    arguments: [
      (#"{"a":{"b":{"c":PAYLOAD}}}"#, "a.b.c"),
      (#"{"Records":[{"body":FCM}]}"#, "Records.0.body"),
      (#"[{"a":{"b":{"c":PAYLOAD}}}]"#, "0.a.b.c"),
      (#"[{"a":{"b":PAYLOAD}},{"a":{"b":PAYLOAD}}]"#, "'*.a.b'"),
      (#"{"Records":[{"body":PAYLOAD},{"body":PAYLOAD}]}"#, "'Records.*.body'"),
      (#"{"a":{"Records":[{"id":1},{"body":[0,PAYLOAD]}]}}"#, "'a.Records.*.body.1'"),
      (#"{"a":{"b":{"com.example.push":PAYLOAD}}}"#, #"'a.b.com\.example\.push'"#),
      (#"{"a":{"b":{"it's":PAYLOAD}}}"#, #"'a.b.it'\''s'"#),
      (
        #"{"Entries":[{"Message":{"APNS_VOIP":"{\"aps\":{}}"}}]}"#, "Entries.0.Message"
      ),
    ])
  func advice(text: String, place: String) throws {
    let bytes = Array(text.replacing("PAYLOAD", with: Self.payload).replacing("FCM", with: Self.fcm).utf8)
    let problem = try #require(try PushMessage(bytes).problem)
    #expect(problem.advice == "name the place of the payload: --payload-at \(place)")
    guard case .nothing(_, let path?) = problem else {
      Issue.record("\(problem)")
      return
    }
    #expect(try PushMessage(bytes, .places([MediaKey(path)])).problem == nil)
  }

  @Test("and are no payloads themselves are told to leave out --envelope none") func bare() throws {
    for (text, name) in [(Self.fcm, "message"), (#"{"a":\#(Self.payload)}"#, "a")] {
      let problem = try #require(try PushMessage(Array(text.utf8), .none).problem)
      #expect(problem == .notBare(seen: [name]))
      #expect(problem.isNothing)
      #expect(problem.advice == "leave out --envelope none: known envelopes are recognized")
    }
  }

  @Test("with names that no place can spell get no such advice") func emptyName() throws {
    for text in [#"{"":{"y":{"z":PAYLOAD}}}"#, #"{"y":{"":{"z":PAYLOAD}}}"#] {
      let bytes = Array(text.replacing("PAYLOAD", with: Self.payload).utf8)
      let problem = try #require(try PushMessage(bytes).problem)
      guard case .nothing(_, nil) = problem else {
        Issue.record("\(problem)")
        return
      }
    }
  }

  @Test("and have JSON in base64 are recognized as such")
  func base64() throws {
    func problem(_ text: String) throws -> EnvelopeError? { try PushMessage(Array(text.utf8)).problem }
    // cloud.google.com/pubsub/docs/push#receive_push
    let pubSub = #"{"message":{"data":"eyJhcHMiOnsiYWxlcnQiOiJ4In19","messageId":"1"},"subscription":"s"}"#
    let error = EnvelopeError.base64(place: "message.data")
    #expect(try problem(pubSub) == error)
    #expect(error.isNothing)
    #expect("\(error)" == "it has no aps: the text at message.data looks like JSON in base64")
    #expect(try problem(#"{"token":"eyJhbGciOiJFUzI1NiJ9.e30.AA"}"#) == .nothing(seen: ["token"], aps: nil))
  }

  @Test("are not an envelope just because they are said to be one") func forced() throws {
    for name in ["fcm", "expo"] {
      #expect(try PushMessage(Array(Self.payload.utf8), .named(name)).problem == .notEnvelope(name))
    }
  }

  @Test("have a push type whatever the case of its header") func pushType() throws {
    let headers = #"{"Apns-Push-Type":"background"}"#
    let text = #"{"message":{"token":"a","apns":{"headers":\#(headers),"payload":{"aps":{}}}}}"#
    #expect(try PushMessage(Array(text.utf8)).payloads.map(\.pushType) == [.background])
  }

  @Test("have their payload beside a long list") func list() throws {
    let list = Array(repeating: #"{"t":1}"#, count: 1_100).joined(separator: ",")
    let text = #"{"recipients":[\#(list)],"job":{"payload":PAYLOAD}}"#
    #expect(try Self.found(in: text) == ["wrapped", "job.payload"])
  }

  @Test("have the last of several members with the same name") func duplicates() throws {
    #expect(try Self.found(in: #"{"data":{"text":"old"},"data":PAYLOAD}"#) == ["wrapped", "data"])
    #expect(try Self.found(in: #"{"data":PAYLOAD,"data":PAYLOAD}"#) == ["wrapped", "data"])
    let message = try PushMessage(Array(#"{"data":\#(Self.payload),"data":{"text":"new"}}"#.utf8))
    #expect(message.problem == .nothing(seen: ["data", "data"], aps: nil))
    for later in ["1", "null", #""text""#] {
      let message = try PushMessage(Array(#"{"data":\#(Self.payload),"data":\#(later)}"#.utf8))
      #expect(message.problem == .nothing(seen: ["data", "data"], aps: nil))
    }
  }
}
