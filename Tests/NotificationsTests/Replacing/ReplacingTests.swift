import Testing

@testable import Notifications

@Suite struct ReplacingTests {
  static func replace(
    _ text: String, _ urls: [(sent: String, stored: String)], _ keys: String..., maximumSize: Int = 4096
  ) throws -> (result: String, places: URLReplacements) {
    let payload = try Payload(Array(text.utf8))
    let places = payload.replacing(urls, mediaKeys: try keys.map { try MediaKey($0) })
    return (
      String(decoding: try payload.applying(places.edits, maximumSize: maximumSize), as: UTF8.self), places
    )
  }

  @Test(arguments: [
    (#"{"media":{ "url" : "u" }}"#, #"{"media":{ "url" : "S" }}"#),
    (#"{"\u006dedia":["\u0075","v",{"url":"u"}],"x":"u"}"#, #"{"\u006dedia":["S","v",{"url":"S"}],"x":"u"}"#),
    // The last member with a name counts.
    (#"{"media":"u","media":"u"}"#, #"{"media":"u","media":"S"}"#),
    // A URL is replaced only where it names a medium.
    (#"{"media":"u","image":"u"}"#, #"{"media":"S","image":"u"}"#),
    (#"{"media":"u","fcm_options":{"image":"u"}}"#, #"{"media":"S","fcm_options":{"image":"S"}}"#),
    (#"{"attachment":{"url":"u","lazy":true}}"#, #"{"attachment":{"url":"u","lazy":true}}"#),
    (#"{"media":"other"}"#, #"{"media":"other"}"#),
    // An encrypted medium keeps its URL, because the encryption is stated next to it.
    (
      #"{"media":{"url":"u","enc":{}},"fcm_options":{"image":"u"}}"#,
      #"{"media":{"url":"u","enc":{}},"fcm_options":{"image":"S"}}"#
    ),
  ])
  func place(text: String, result: String) throws {
    #expect(try Self.replace(text, [("u", "S")]).result == result)
  }

  @Test(arguments: [
    (#"{"notifee_options":"{\"image\":\"u\"}"}"#, #"{"notifee_options":"{\"image\":\"S\\\"\\\\\"}"}"#),
    (
      #"{"notifee_options":"\u007b \"t\":\"\\u00fc\/\",\u0022image\u0022:\u0022\\u0075\u0022}"}"#,
      #"{"notifee_options":"\u007b \"t\":\"\\u00fc\/\",\u0022image\u0022:\u0022S\\\"\\\\\u0022}"}"#
    ),
    (#"{"a":"{\"b\":\"[\\\"u\\\"]\"}"}"#, #"{"a":"{\"b\":\"[\\\"S\\\\\\\"\\\\\\\\\\\"]\"}"}"#),
    // Text that is not JSON is the URL itself.
    (#"{"a":{"b":"u"}}"#, #"{"a":{"b":"S\"\\"}}"#),
  ])
  func stringsInStrings(text: String, result: String) throws {
    let replaced = try Self.replace(text, [("u", #"S"\"#)], "a.b.0", "a.b")
    #expect(replaced.result == result)
    #expect(replaced.places.paths(of: "u").count == 1)
  }

  @Test func placesThatTwoKnowAreReplacedOnce() throws {
    let replaced = try Self.replace(
      #"{"fcm_options":{"image":"u"},"media":["v","u"]}"#, [("u", "S"), ("v", "T")], "fcm_options.image",
      "media.1")
    #expect(replaced.result == #"{"fcm_options":{"image":"S"},"media":["T","S"]}"#)
    #expect(replaced.places.paths(of: "u") == ["fcm_options.image", "media.1"])
    #expect(replaced.places.paths(of: "v") == ["media.0"])
    #expect(replaced.places.paths(of: "w") == [])
  }

  /// Composed and decomposed characters are equal as `String`, but are two URLs.
  @Test func urlsAreComparedByTheirBytes() throws {
    let replaced = try Self.replace(#"{"media":["e\#u{301}","\#u{e9}"]}"#, [("\u{e9}", "S")])
    #expect(Array(replaced.result.utf8) == Array(#"{"media":["e\#u{301}","S"]}"#.utf8))
  }

  @Test func theMaximumIsInclusive() throws {
    #expect(try Self.replace(#"{"media":"u"}"#, [("u", "SSS")], maximumSize: 15).result.utf8.count == 15)
    #expect(throws: RewritingError.tooLarge(size: 15, maximum: 14)) {
      try Self.replace(#"{"media":"u"}"#, [("u", "SSS")], maximumSize: 14)
    }
    #expect(try Self.replace(#"{"media":"uuu"}"#, [("uuu", "")], maximumSize: 12).result == #"{"media":""}"#)
  }

  @Test func besideAttachments() throws {
    let payload = try Payload(Array(#"{"media":"u" }"#.utf8))
    let places = payload.replacing([("u", "SS")])
    let edits = try places.edits + payload.attaching([], key: "k")
    let result = try payload.applying(edits, maximumSize: 22)
    #expect(String(decoding: result, as: UTF8.self) == #"{"media":"SS","k":[] }"#)
    #expect(throws: RewritingError.tooLarge(size: 22, maximum: 21)) {
      try payload.applying(edits, maximumSize: 21)
    }
  }

  @Test(
    "a URL that the size limit does not count makes no room if it gets shorter",
    arguments: [("", 0), ("uuu", 0), ("uuuuu", 2)])
  func uncounted(stored: String, growth: Int) throws {
    let text = #"{"audience":"all","notification":{"media_attachment":"uuu","ios":{"alert":"x"}}}"#
    let payload = try #require(PushMessage(Array(text.utf8)).payloads.first)
    let places = payload.replacing([("uuu", stored)])
    #expect(places.paths(of: "uuu") == ["notification.media_attachment"])
    let edits = try places.edits + payload.attaching([], key: "k")
    let size = #"{"alert":"x","extra":{"k":[]}}"#.utf8.count + growth
    try payload.check(edits, maximumSize: size)
    #expect(throws: RewritingError.tooLarge(size: size, maximum: size - 1)) {
      try payload.check(edits, maximumSize: size - 1)
    }
  }

  @Test(
    "the size limit counts the one picture that the service passes on",
    arguments: [
      (
        #"{"message":{"token":"t","notification":{"image":"uuu"},"apns":{"payload":{"aps":{}}}}}"#,
        #""uuu"{"aps":{},"k":[]}"#
      ),
      (
        #"{"token":"t","notification":{"image":"uuu"},"apns":{"payload":{"aps":{}},"fcm_options":{"image":"u"}}}"#,
        #""u"{"aps":{},"k":[]}"#
      ),
      (
        #"{"app_id":"a","contents":{"en":"x"},"global_image":"uuu","ios_attachments":null,"data":{}}"#,
        #""uuu"{"k":[]}"#
      ),
      (
        #"{"app_id":"a","contents":{"en":"x"},"global_image":"uuu","ios_attachments":{"i":"u"},"data":{}}"#,
        #"{"i":"u"}{"k":[]}"#
      ),
    ])
  func pictures(text: String, counted: String) throws {
    let payload = try #require(PushMessage(Array(text.utf8)).payloads.first)
    let (edits, size) = (try payload.attaching([], key: "k"), counted.utf8.count)
    try payload.check(edits, maximumSize: size)
    #expect(throws: RewritingError.tooLarge(size: size, maximum: size - 1)) {
      try payload.check(edits, maximumSize: size - 1)
    }
  }

  @Test("nothing else changes, in a payload of its own and in one inside strings", arguments: 0...2)
  func nothingElseChanges(depth: Int) throws {
    let path = [String](repeating: "p", count: depth)
    var changed = 0
    for seed in 0..<500 as Range<UInt64> {
      let random = RandomPayload(seed: seed, inside: depth)
      let bytes = Array(random.input.utf8)
      let payload =
        depth == 0
        ? try Payload(bytes)
        : try #require(PushMessage(bytes, .places([MediaKey(steps: path)])).payloads.first)
      let places = payload.replacing(
        random.replaced, mediaKeys: try RandomPayload.mediaKeys.map(MediaKey.init))
      let result = try payload.applying(places.edits, maximumSize: .max)
      #expect(String(decoding: result, as: UTF8.self) == random.expected, "seed \(seed): \(random.input)")
      changed += result == payload.bytes ? 0 : 1
    }
    #expect(changed > 300)
  }

  /// Each place in a string of JSON is found in the bytes that spell it, without reading the string
  /// again for each place.
  @Test func thousandsOfPlacesInAString() throws {
    let list = Array(repeating: #"\"https:\/\/a\/b\""#, count: 3_000).joined(separator: ",")
    let replaced = try Self.replace(
      #"{"a":"{\"b\":[\#(list)]}"}"#, [("https://a/b", "S")], "a.b", maximumSize: .max)
    let expected = Array(repeating: #"\"S\""#, count: 3_000).joined(separator: ",")
    #expect(replaced.result == #"{"a":"{\"b\":[\#(expected)]}"}"#)
  }

  /// The result has the same contents as the payload, except for the URLs.
  @Test(arguments: PayloadCase.all)
  func fixtures(fixture: PayloadCase) throws {
    let payload = try Payload(fixture.bytes)
    let keys = try fixture.mediaKeys
    let urls = payload.mediaReferences(mediaKeys: keys).map {
      (sent: $0.url, stored: "https://cdn.example/" + String($0.url.reversed()))
    }
    let places = payload.replacing(urls, mediaKeys: keys)
    let root = try JSONDocument(payload.applying(places.edits, maximumSize: .max)).root
    let expected = urls.flatMap { url in places.paths(of: url.sent).map { _ in [url.sent, url.stored] } }
    let changes = Self.changes(from: payload.object, to: root)
    #expect(changes.sorted { $0[0] < $1[0] } == expected.sorted { $0[0] < $1[0] })
    for url in urls { #expect(!places.paths(of: url.sent).isEmpty) }
  }

  /// The texts that differ, old and new; those inside a string of JSON separately.
  private static func changes(from old: JSONValue, to new: JSONValue) -> [[String]] {
    if old.spelling == new.spelling { return [] }
    switch (old.kind, new.kind) {
    case (.object, .object) where old.members.map(\.key.spelling) == new.members.map(\.key.spelling):
      return zip(old.members, new.members).flatMap { changes(from: $0.value, to: $1.value) }
    case (.array, .array) where Array(old.elements).count == Array(new.elements).count:
      return zip(old.elements, new.elements).flatMap { changes(from: $0, to: $1) }
    case (.string, .string):
      let texts = [old.string ?? "", new.string ?? ""]
      let documents = texts.compactMap { try? JSONDocument(Array($0.utf8)).root }
      return documents.count == 2 ? changes(from: documents[0], to: documents[1]) : [texts]
    default: return [[old.spelling, new.spelling]]
    }
  }
}
