import Testing

@testable import Notifications

@Suite struct AttachingTests {
  static let attachment = Notifications.Attachment(
    identifier: "media", url: "file:///a/b.jpg", type: "public.jpeg", size: 15_398, sha256: "3fa9",
    options: AttachmentOptions(
      typeHint: "public.jpeg", thumbnailHidden: false,
      thumbnailClippingRect: ClippingRect(x: 0, y: 0.25, width: 1, height: 0.5), thumbnailTime: 2))

  static func attach(_ text: String, key: String = "k", maximumSize: Int = 4096) throws -> String {
    let payload = try Payload(Array(text.utf8))
    let result = try payload.applying(payload.attaching([], key: key), maximumSize: maximumSize)
    return String(decoding: result, as: UTF8.self)
  }

  @Test func shape() {
    #expect(
      json(Self.attachment)
        == #"{"identifier":"media","url":"file:///a/b.jpg","type":"public.jpeg","size":15398,"sha256":"3fa9","#
        + #""options":{"typeHint":"public.jpeg","thumbnailHidden":false,"#
        + #""thumbnailClippingRect":{"X":0,"Y":0.25,"Width":1,"Height":0.5},"thumbnailTime":2}}"#)
  }

  @Test func withoutOptions() {
    let attachment = Notifications.Attachment(
      identifier: "ü/", url: "u", type: "t", size: 0, sha256: "", options: AttachmentOptions())
    #expect(json(attachment) == #"{"identifier":"ü/","url":"u","type":"t","size":0,"sha256":""}"#)
  }

  @Test func facts() {
    let attachment = Notifications.Attachment(
      identifier: "a", url: "u", type: "t", size: 0, sha256: "", options: AttachmentOptions(thumbnailTime: 2),
      facts: .init(width: 320, height: 240, duration: 1.25))
    let start = #"{"identifier":"a","url":"u","type":"t","size":0,"sha256":"","options":{"thumbnailTime":2}"#
    #expect(json(attachment) == start + #","width":320,"height":240,"duration":1.25}"#)
    #expect(json(attachment.withoutFacts) == start + "}")
  }

  @Test(arguments: [
    ("{}", #"{"k":[]}"#), (" {\n }\n", " {\"k\":[]\n }\n"), (#"{"a":1}"#, #"{"a":1,"k":[]}"#),
    ("{\"a\":[1 ] \r\n}\n", "{\"a\":[1 ],\"k\":[] \r\n}\n"), (#"{"a":{"k":1}}"#, #"{"a":{"k":1},"k":[]}"#),
    (#"{"a":"}","a":"{" }"#, #"{"a":"}","a":"{","k":[] }"#),
  ])
  func place(text: String, result: String) throws {
    #expect(try Self.attach(text) == result)
  }

  @Test func theNameIsEscaped() throws {
    #expect(try Self.attach("{}", key: "a\"b") == #"{"a\"b":[]}"#)
  }

  @Test(arguments: [#"{"k":null}"#, #"{"\u006B":1}"#, #"{"k":1,"a":2}"#])
  func keyTaken(text: String) {
    #expect(throws: RewritingError.keyTaken("k")) { try Self.attach(text) }
  }

  @Test("a payload that has been enriched is told apart from one with a member of that name")
  func twice() throws {
    let payload = try Payload(Array(#"{"media":"https://a/b"}"#.utf8))
    let once = try payload.applying(payload.attaching([Self.attachment], key: "k"))
    #expect(throws: RewritingError.alreadyEnriched("k")) {
      try Self.attach(String(decoding: once, as: UTF8.self))
    }
    let other = #"[{"identifier":"a","url":"u","type":"t","sha256":1}]"#
    for member in ["[]", "[1]", #"[{"url":"u"}]"#, other] {
      #expect(throws: RewritingError.keyTaken("k")) { try Self.attach(#"{"k":\#(member)}"#) }
    }
  }

  /// A member that another step removes counts as absent.
  @Test(arguments: [
    (#"{"a":1 , "k":2 }"#, #"{"a":1,"k":[] }"#), (#"{ "k":1, "k":2,"a":3}"#, #"{ "a":3,"k":[]}"#),
    (#"{"k":1}"#, #"{"k":[]}"#),
  ])
  func afterOtherSteps(text: String, result: String) throws {
    let payload = try Payload(Array(text.utf8))
    let edits = payload.object.edits(setting: [], removing: ["k"])
    let all = try edits + payload.attaching([], key: "k", after: edits)
    #expect(String(decoding: try payload.applying(all), as: UTF8.self) == result)
  }

  @Test func theMaximumIsInclusive() throws {
    #expect(try Self.attach(#"{"a":1}"#, maximumSize: 14).utf8.count == 14)
    #expect(throws: RewritingError.tooLarge(size: 14, maximum: 13)) {
      try Self.attach(#"{"a":1}"#, maximumSize: 13)
    }
  }

  @Test func descriptions() {
    #expect(
      "\(RewritingError.keyTaken("k"))"
        == "the payload has a member “k” already; attachments need a name of their own")
    #expect(
      "\(RewritingError.alreadyEnriched("k"))"
        == "the payload has been enriched before: it has a list of attachments, “k”")
    #expect(
      "\(RewritingError.tooLarge(size: 4100, maximum: 4096))"
        == "the enriched payload would be 4100 bytes, 4 more than the 4096 that APNs takes")
    #expect("\(RewritingError.overlapping)" == "two changes to the payload overlap")
  }
}
