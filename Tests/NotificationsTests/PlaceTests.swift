import Testing

@testable import Notifications

/// Payloads inside messages. Every byte outside a change stays, including escapes in strings.
@Suite("A payload at a place in a message")
struct PlaceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription, message, result: String
    let places: [String]
    /// The bytes of each payload in the result that count for a size limit.
    let counted: [String]
  }

  private static let aps = #""aps":{"alert":"x","mutable-content":1}"#
  private static let rows = [
    Row(
      testDescription: "FCM's, as an object",
      message:
        #"{"message":{"token":"t","apns":{"headers":{},"payload":{ \#(aps), "fcm_options":{"image":"u"} }}}}"#,
      result:
        #"{"message":{"token":"t","apns":{"headers":{},"payload":{ \#(aps), "fcm_options":{"image":"S\"ü"},"k":[] }}}}"#,
      places: ["message.apns.payload"],
      counted: [#"{ \#(aps), "fcm_options":{"image":"S\"ü"},"k":[] }"#]),
    Row(
      testDescription: "SNS' two, as strings",
      message:
        #"{"default":"\u0061","APNS":" {\"aps\":{\"alert\":\"\\u00fc\/\",\u0022mutable-content\u0022:1},\"media\":\"\u0075\"}\n","APNS_SANDBOX":"{\"aps\":{\"mutable-content\":true,\"alert\":\"y\"},\"media\":[\"v\",\"u\"]}"}"#,
      result:
        #"{"default":"\u0061","APNS":" {\"aps\":{\"alert\":\"\\u00fc\/\",\u0022mutable-content\u0022:1},\"media\":\"S\\\"ü\",\"k\":[]}\n","APNS_SANDBOX":"{\"aps\":{\"mutable-content\":true,\"alert\":\"y\"},\"media\":[\"v\",\"S\\\"ü\"],\"k\":[]}"}"#,
      places: ["APNS", "APNS_SANDBOX"],
      counted: [
        #" {"aps":{"alert":"\u00fc/","mutable-content":1},"media":"S\"ü","k":[]}"# + "\n",
        #"{"aps":{"mutable-content":true,"alert":"y"},"media":["v","S\"ü"],"k":[]}"#,
      ]),
    Row(
      testDescription: "wrapped twice",
      message:
        #"{"Message":"{\"n\":1.0,\"APNS\":\"{\\\"aps\\\":{\\\"alert\\\":\\\"x\\\",\\\"mutable-content\\\":1},\\u0022media\\\":\\\"\\\\u0075\\\"}\"} " }"#,
      result:
        #"{"Message":"{\"n\":1.0,\"APNS\":\"{\\\"aps\\\":{\\\"alert\\\":\\\"x\\\",\\\"mutable-content\\\":1},\\u0022media\\\":\\\"S\\\\\\\"ü\\\",\\\"k\\\":[]}\"} " }"#,
      places: ["Message.APNS"], counted: [#"{\#(aps),"media":"S\"ü","k":[]}"#]),
    Row(
      testDescription: "encoded twice",
      message:
        #"{"n":1.0,"a": "\n\"{\\\"aps\\\":{\\\"alert\\\":\\\"x\\\",\\\"mutable-content\\\":1},\\u0022media\u005c\u0022:\\\"\\\\u0075\\\"}\" "}"#,
      result:
        #"{"n":1.0,"a": "\n\"{\\\"aps\\\":{\\\"alert\\\":\\\"x\\\",\\\"mutable-content\\\":1},\\u0022media\u005c\u0022:\\\"S\\\\\\\"ü\\\",\\\"k\\\":[]}\" "}"#,
      places: ["a"], counted: [#"{\#(aps),"media":"S\"ü","k":[]}"#]),
  ]

  private static func payloads(in message: String, at places: String...) throws -> [Payload] {
    try PushMessage(Array(message.utf8), .places(places.map { try MediaKey($0) })).payloads
  }

  private static func payloads(_ row: Row) throws -> [Payload] {
    try row.places.flatMap { try payloads(in: row.message, at: $0) }
  }

  private static func edits(_ payload: Payload) throws -> [JSONEdit] {
    try payload.replacing([("u", #"S"ü"#)]).edits + payload.attaching([], key: "k")
  }

  @Test("is eligible, names media, and gets changes in its own escaping", arguments: rows)
  func rewriting(row: Row) throws {
    let payloads = try Self.payloads(row)
    try #require(payloads.count == row.places.count)
    var rewriter = Rewriter(payloads[0])
    for (payload, counted) in zip(payloads, row.counted) {
      #expect(payload.bytes == Array(row.message.utf8))
      #expect(payload.ineligibility(pushType: nil) == nil)
      #expect(payload.mediaReferences().last?.url == "u")
      let (edits, size) = (try Self.edits(payload), counted.utf8.count)
      try rewriter.change(payload, edits, maximumSize: size)
      #expect(throws: RewritingError.tooLarge(size: size, maximum: size - 1)) {
        try payload.check(edits, maximumSize: size - 1)
      }
    }
    #expect(String(decoding: try rewriter.bytes(), as: UTF8.self) == row.result)
  }

  @Test("can be changed while the others stay") func one() throws {
    let payloads = try Self.payloads(Self.rows[1])
    let result = String(decoding: try payloads[1].applying(Self.edits(payloads[1])), as: UTF8.self)
    #expect(result.contains(#"\"media\":\"\u0075\"}\n""#))
    #expect(result.contains(#"[\"v\",\"S\\\"ü\"],\"k\":[]}"}"#))
  }

  @Test("gets decrypted content, and loses its own ciphertext") func disclosing() throws {
    let message = #"{"enc":0,"a":"{\"enc\":1,\"aps\":{\"alert\":\"x\"}}"}"#
    let payload = try #require(Self.payloads(in: message, at: "a").first)
    let content = try #require(PlainContent(JSONDocument(Array(#"{"title":"\"ü\n"}"#.utf8))))
    let result = try payload.applying(payload.disclosing(content, insteadOf: ["enc"]))
    #expect(
      String(decoding: result, as: UTF8.self)
        == #"{"enc":0,"a":"{\"aps\":{\"alert\":{\"title\":\"\\\"ü\\n\",\"body\":\"x\"}}}"}"#)
  }

  @Test("is found in a string in a string") func nested() throws {
    let message = #"{"a":"{\"b\":\"{\\\"c\\\":1}\"}"}"#
    let payload = try #require(Self.payloads(in: message, at: "a.b").first)
    #expect(payload.object["c"] != nil && payload.bytes == Array(message.utf8))
    let result = try payload.applying(payload.object.edits(setting: [("c", Array("{}".utf8))]))
    #expect(String(decoding: result, as: UTF8.self) == #"{"a":"{\"b\":\"{\\\"c\\\":{}}\"}"}"#)
  }

  @Test("is found in a string that was encoded twice, and not if it was three times") func twice() throws {
    let once = #"{"aps":{"alert":"x"},"media":"u"}"#
    var encoded = once
    for times in 0...3 {
      let message = try PushMessage(Array(#"{"a":\#(encoded)}"#.utf8))
      #expect(message.payloads.map(\.path) == (times < 3 ? ["a"] : []))
      #expect(message.problem == (times < 3 ? nil : .tooManyStrings(place: "a")))
      encoded = "\"\(String(decoding: JSONEscape.encode(encoded.utf8), as: UTF8.self))\""
    }
  }

  @Test("in a string may be nested as deeply as a whole message") func depth() throws {
    func message(_ count: Int) throws -> PushMessage {
      let lists = String(repeating: "[", count: count) + String(repeating: "]", count: count)
      return try PushMessage(Array(#"{"a":"{\"aps\":{},\"n\":\#(lists)}"}"#.utf8))
    }
    #expect(try message(511).payloads.map(\.path) == ["a"])
    let position = JSONPosition(offset: 525, line: 1, column: 526)
    #expect(try message(512).problem == .notJSON(place: "a", .tooDeep(position, maximum: 512)))
  }

  @Test(
    "that is broken is named, if it was meant to be a payload",
    arguments: [
      (#"{"n":1,"a":" {\"aps\":{\"alert\":"}"#, "a"), (#"{"a":{"b":"{'aps': {'alert': 'x'}}"}}"#, "a.b"),
      (#"{"a":[1,"{ aps: { alert: 1 } }"]}"#, "a.1"), (#"{"a":"{\\\"aps\\\":{}}"}"#, "a"),
      (#"{"a":"\ufeff{\"aps\":{}}"}"#, "a"), (#"["{\"mutable_content\":true,}"]"#, "0"),
      (#"{"a":"[{\"aps\":{}"}"#, "a"), (#"{"a":"{\"b\":\"{\\\"aps\\\":\"}"}"#, "a.b"),
    ])
  func broken(message: String, place: String) throws {
    let push = try PushMessage(Array(message.utf8))
    #expect(push.payloads.isEmpty)
    guard case .notJSON(place, _) = push.problem else {
      Issue.record("\(push.problem.map { "\($0)" } ?? "none")")
      return
    }
  }

  @Test(
    "is not everything that starts with a brace",
    arguments: [#"{"a":"{name}, hello"}"#, #"{"a":"{\"caps\":"}"#, #"{"a":"aps"}"#])
  func text(message: String) throws {
    #expect(try PushMessage(Array(message.utf8)).problem == .nothing(seen: ["a"], aps: nil))
  }

  @Test("is not the text of a message that is a string") func whole() {
    for message in [#""{\"aps\":{\"alert\":\"x\"}}""#, #""{\"aps\":""#] {
      #expect(throws: PayloadError.notAnObject(.string)) { try PushMessage(Array(message.utf8)) }
    }
  }

  @Test("that is broken and too deep is in the advice") func deep() throws {
    let message = #"{"a":{"b":{"c":"{\"aps\":"}}}"#
    #expect(try PushMessage(Array(message.utf8)).problem == .nothing(seen: ["a"], aps: "a.b.c"))
  }

  @Test("that is broken hides no other one") func other() throws {
    let push = try PushMessage(Array(#"{"a":"{\"aps\":","b":{"aps":{}}}"#.utf8))
    #expect(push.payloads.map(\.path) == ["b"] && push.problem == nil)
  }

  @Test(
    "must be an object",
    arguments: [
      ("c", EnvelopeError.notJSON(place: "c", .end(1, expected: .nameOrBrace))),
      ("f", .notJSON(place: "f", .found(UInt8(ascii: "w"), 0, expected: .value))),
      ("e", .notAnObject(place: "e", .number)),
      ("a.x", .nothingAt(["a.x"])), ("missing", .nothingAt(["missing"])),
    ])
  func none(place: String, problem: EnvelopeError) throws {
    let message = #"{"a":{},"c":"{","e":1,"f":"words"}"#
    let push = try PushMessage(Array(message.utf8), .places([MediaKey(place)]))
    #expect(push.payloads.isEmpty && push.problem == problem)
  }

  @Test("does not allow two changes of the same bytes") func overlaps() throws {
    let text = #"{"a":{"b":{"c":1}},"d":2}"#
    let (message, inner) = try (Payload(Array(text.utf8)), #require(Self.payloads(in: text, at: "a.b").first))
    var rewriter = Rewriter(message)
    try rewriter.change(inner, inner.object.edits(setting: [("c", Array("3".utf8))]))
    try rewriter.change(message, message.object.edits(setting: [("d", Array("4".utf8))]))
    #expect(String(decoding: try rewriter.bytes(), as: UTF8.self) == #"{"a":{"b":{"c":3}},"d":4}"#)
    try rewriter.change(message, message.object.edits(setting: [("a", Array("5".utf8))]))
    #expect(throws: RewritingError.overlapping) { try rewriter.bytes() }
  }
}
