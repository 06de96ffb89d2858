import TestSupport
import Testing

@testable import Notifications

@Suite("Texts in places that others use as well") struct URLShapeTests {
  private static func urls(_ text: String, base: String? = nil) throws -> [String] {
    try Payload(Array(text.utf8)).mediaReferences(base: base).map(\.address)
  }

  @Test(
    "that are no URL hide nothing, and are no media alone",
    arguments: [
      "null", "none", " ", "/uploads/p.jpg", "12345", "{{image_url}}", "photo.jpg", "https://", "https:///p",
      "//a/b",
      "javascript:alert(1)", "N/A", "true",
    ])
  func noURL(text: String) throws {
    #expect(try Self.urls(#"{"image":"\#(text)","image_url":"https://a/b"}"#) == ["https://a/b"])
    #expect(try Self.urls(#"{"attachment":"\#(text)","imageUrl":"HTTP://a/b"}"#) == ["HTTP://a/b"])
    #expect(try Self.urls(#"{"image":"\#(text)","attachment":"\#(text)"}"#) == [])
  }

  @Test("with a scheme that nothing opens count last")
  func otherScheme() throws {
    #expect(try Self.urls(#"{"image":"gs://a/b"}"#) == ["gs://a/b"])
    #expect(try Self.urls(#"{"attachment":"gs://a/b","image_url":" https://a/b"}"#) == [" https://a/b"])
  }

  @Test("that are relative are completed")
  func base() throws {
    let base = "https://home.example/"
    #expect(
      try Self.urls(#"{"attachment":{"url":"/api/camera_proxy/x"}}"#, base: base) == [
        "https://home.example/api/camera_proxy/x"
      ])
    #expect(
      try Self.urls(#"{"attachments":{"pictureUrl":"a/b.jpg"}}"#, base: "https://i.app.delivery") == [
        "https://i.app.delivery/1024x/a/b.jpg"
      ])
    #expect(
      try Self.urls(#"{"image":"uploads/p.JPG?w=1"}"#, base: base) == [
        "https://home.example/uploads/p.JPG?w=1"
      ])
    #expect(try Self.urls(#"{"mp_media_url":"p.mp4"}"#, base: base) == ["https://home.example/p.mp4"])
    for text in ["null", "image/jpeg", "a/b", "//a/b.jpg", "a:b.jpg", ".jpg/"] {
      #expect(try Self.urls(#"{"image":"\#(text)"}"#, base: base) == [], "\(text)")
    }
    #expect(
      try Self.urls(#"{"attachment":"a/p.jpg","image":"gs://a/b","image_url":"https://a/b"}"#, base: base)
        == ["https://a/b"])
    #expect(
      try Self.urls(#"{"media":["https://a/b","c.jpg"]}"#, base: base) == [
        "https://a/b", "https://home.example/c.jpg",
      ])
  }
}

@Suite("A text in media that could be completed") struct CompletedMediaTests {
  @Test(
    "hides no URL elsewhere, unless it starts with a slash or ends like a file of media",
    arguments: [
      (#""media":"image","image":"https://a/b""#, ["https://a/b"]),
      (#""media":{"url":"7"},"attachment":{"url":"/x"}"#, ["https://home.example/x"]),
      (#""media":"p.jpg","image":"https://a/b""#, ["https://home.example/p.jpg"]),
      (#""media":"/p","image":"https://a/b""#, ["https://home.example/p"]),
      (#""media":"image","image":"none""#, ["https://home.example/image"]),
    ])
  func hides(members: String, urls: [String]) throws {
    let references = try Payload(Array("{\(members)}".utf8)).mediaReferences(base: "https://home.example")
    #expect(references.map(\.address) == urls)
  }
}

@Suite("Shapes of dialects") struct ShapeTests {
  @Test(
    "count only with what marks them",
    arguments: [
      (#"{"c":{"a":"https://a/b"}}"#, []), (#"{"c":{"i":"1","a":"https://a/b"}}"#, ["Countly"]),
      (#"{"messageSource":"X","carouselContent":[{"mediaUrl":"https://a/b"}]}"#, []),
      (#"{"messageSource":"DENGAGE","carouselContent":[{"mediaUrl":"https://a/b"}]}"#, ["D·engage"]),
      (#"{"aps":{"imageUrl":"https://a/b"}}"#, []),
      (#"{"aps":{"clickUrl":"c","imageUrl":"https://a/b"}}"#, ["Mindbox (legacy)"]),
    ] as [(String, [String])])
  func marks(text: String, dialects: [String]) throws {
    #expect(try Payload(Array(text.utf8)).mediaReferences().map(\.dialect) == dialects)
  }

  @Test("without backslashes are written back where they came from")
  func backslashes() throws {
    let text = #"{"es_notification_images":"[\\\"https:\\\/\\\/a\\\",\\\"https://b\\\"]"}"#
    let payload = try Payload(Array(text.utf8))
    #expect(payload.mediaReferences().map(\.url) == ["https://a", "https://b"])
    let result = try payload.applying(payload.replacing([("https://a", "S"), ("https://b", "TT")]).edits)
    #expect(
      String(decoding: result, as: UTF8.self) == #"{"es_notification_images":"[\\\"S\\\",\\\"TT\\\"]"}"#)
  }

  @Test("of this project are found in JSON in a string, as in FCM's data, and written back there")
  func embedded() throws {
    let text =
      #"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":"x"}}},"data":{"media":"{\"url\":\"https://a/b\",\"id\":\"x\"}"}}}"#
    let payload = try #require(try PushMessage(Array(text.utf8)).payloads.first)
    #expect(
      payload.mediaReferences() == [
        MediaReference(
          url: "https://a/b", identifier: "x", dialect: "push-enricher", path: "message.data.media.url")
      ])
    let result = try payload.applying(payload.replacing([("https://a/b", "S")]).edits)
    #expect(String(decoding: result, as: UTF8.self) == text.replacing("https://a/b", with: "S"))
  }

  @Test(
    "of this project are found in a string only if that is an object or an array",
    arguments: [
      (#"{\"url\":\"u\"}"#, ["u"]), (#" [\"u\",{\"url\":\"v\"}]"#, ["u", "v"]), (#"{\"id\":1}"#, []),
      ("null", ["null"]), ("1", ["1"]), (#"\"u\""#, [#""u""#]), ("{u}", ["{u}"]),
    ] as [(String, [String])])
  func containers(text: String, urls: [String]) throws {
    #expect(try Payload(Array(#"{"media":"\#(text)"}"#.utf8)).mediaReferences().map(\.url) == urls)
  }

  @Test("of any key lead to all elements and members")
  func wildcards() throws {
    let text = #"{"a":{"items":[{"image":"u"},{"image":"v"}],"more":{"x":{"image":"w"},"*":{"image":"z"}}}}"#
    func urls(_ key: String) throws -> [String] {
      try Payload(Array(text.utf8)).mediaReferences(mediaKeys: [try MediaKey(key)]).map(\.url)
    }
    #expect(try urls("a.items.*.image") == ["u", "v"])
    #expect(try urls("a.more.*.image") == ["w", "z"])
    #expect(try urls(#"a.more.\*.image"#) == ["z"])
    #expect(try urls("a.*.*.image") == ["u", "v", "w", "z"])
    #expect(try MediaKey(#"a.*.\*"#).description == #"a.*.\*"#)
  }
}

@Suite("Hints of payloads that are left alone") struct HintTests {
  @Test(
    "name the look-alike of the flag",
    arguments: [
      (#"{"aps":{"mutable-content":"1"}}"#, #"“aps.mutable-content”: "1""#),
      (#"{"aps":{"mutable_content":1}}"#, "“aps.mutable_content”: 1"),
      (#"{"aps":{},"mutable-content":1}"#, "“mutable-content”: 1"),
      (#"{"aps":{"alert":{"mutableContent":true}}}"#, "“aps.alert.mutableContent”: true"),
      (#"{"aps":{}}"#, nil),
    ] as [(String, String?)])
  func flag(text: String, hint: String?) throws {
    #expect(try Payload(Array(text.utf8)).flagLookalike == hint)
  }

  @Test("name the URLs as media keys that lead to them")
  func keys() throws {
    let text =
      #"{"aps":{},"link":"https://a/","x.y":{"hero":[{"src":"https://a/p.JPG?w=1"}]},"t":"{\"u\":\"https://b/c\"}"}"#
    let payload = try Payload(Array(text.utf8))
    let keys = payload.keysOfURLs(atMost: 3)
    #expect(keys == [#"x\.y.hero.0.src"#, "link", "t.u"])
    for key in keys { #expect(payload.mediaReferences(mediaKeys: [try MediaKey(key)]).count == 1) }
    #expect(try Payload(Array(#"{"h":"hhttq"}"#.utf8)).keysOfURLs(atMost: 3) == [])
  }

  @Test("name the elements of a list together: there may be more of them next time") func lists() throws {
    let text =
      #"{"images":["https://a/1.jpg","https://a/2.jpg"],"cards":[{"u":"https://a/3"},{"u":"https://a/4.png"}],"one":["https://a/5"]}"#
    let payload = try Payload(Array(text.utf8))
    let keys = payload.keysOfURLs(atMost: 4)
    #expect(keys == ["images.*", "cards.*.u", "one.0"])
    for (key, count) in zip(keys, [2, 2, 1]) {
      #expect(payload.mediaReferences(mediaKeys: [try MediaKey(key)]).count == count)
    }
  }

  @Test("find a scheme in letters of any case", arguments: ["https", "HTTPS", "Http", "hTTp"])
  func cases(scheme: String) throws {
    let payload = try Payload(Array(#"{"hero":"\#(scheme)://a/b","big_picture":"\#(scheme)://a/c"}"#.utf8))
    #expect(payload.keysOfURLs(atMost: 3) == ["hero", "big_picture"])
    #expect(payload.androidPicture == "big_picture")
  }

  @Test("of a hostile payload take no time") func hostile() throws {
    let text =
      #"{"a":"http","b":["# + Array(repeating: #"{"c":"x"}"#, count: 6_000).joined(separator: ",") + "]}"
    let payload = try Payload(Array(text.utf8))
    let time = cpuTime { _ = payload.keysOfURLs(atMost: 3) }
    #expect(time < .milliseconds(500))
  }
}

@Suite("Texts beside media") struct TextTests {
  private static func apply(_ text: String) throws -> String {
    let payload = try Payload(Array(text.utf8))
    let edits = payload.applyingTexts(of: payload.mediaReferences())
    return String(decoding: try payload.applying(edits), as: UTF8.self)
  }

  @Test(
    "replace those of the alert, and their localised keys",
    arguments: [
      (
        #"{"aps":{"alert":{"title":"a","loc-key":"K","loc-args":["x"]}},"_sw":{"media":{"url":"https://a","title":"T","body":"B"}}}"#,
        #"{"aps":{"alert":{"title":"T","body":"B"}},"_sw":{"media":{"url":"https://a","title":"T","body":"B"}}}"#
      ),
      (
        #"{"aps":{"alert":"old"},"com.urbanairship.media_attachment":{"url":"https://a","content":{"title":"T\u00fc","subtitle":""}}}"#,
        #"{"aps":{"alert":{"title":"Tü","body":"old"}},"com.urbanairship.media_attachment":{"url":"https://a","content":{"title":"T\u00fc","subtitle":""}}}"#
      ),
      (
        #"{"aps":{"alert":"old"},"image":"https://a","message":"M"}"#,
        #"{"aps":{"alert":{"body":"M"}},"image":"https://a","message":"M"}"#
      ),
      (
        #"{"aps":{"alert":"old"},"notifee_options":"{\"image\":\"https://a\",\"title\":\"N\"}"}"#,
        #"{"aps":{"alert":{"title":"N","body":"old"}},"notifee_options":"{\"image\":\"https://a\",\"title\":\"N\"}"}"#
      ),
      (
        #"{"aps":{"alert":"old"},"media":"https://a","title":"T"}"#,
        #"{"aps":{"alert":"old"},"media":"https://a","title":"T"}"#
      ),
    ])
  func texts(text: String, result: String) throws { #expect(try Self.apply(text) == result) }

  private static let notifee =
    #""notifee_options":{"image":"https://a","body":"B","ios":{"sound":"ping.caf","categoryId":"chat"}}"#

  @Test(
    "of Notifee bring a sound and a category",
    arguments: [
      (#"{"alert":"old"}"#, #"{"alert":{"body":"B"},"sound":"ping.caf","category":"chat"}"#),
      (
        #"{"category":"a","alert":{"body":"old"},"sound":{"critical":1}}"#,
        #"{"category":"chat","alert":{"body":"B"},"sound":"ping.caf"}"#
      ),
    ])
  func settings(aps: String, result: String) throws {
    #expect(
      try Self.apply(#"{"aps":\#(aps),\#(Self.notifee)}"#) == #"{"aps":\#(result),\#(Self.notifee)}"#)
    let texts = #""notifee_options":"{\"image\":\"https://a\",\"ios\":{\"sound\":{},\"categoryId\":\"\"}}""#
    #expect(try Self.apply(#"{"aps":\#(aps),\#(texts)}"#) == #"{"aps":\#(aps),\#(texts)}"#)
  }

  @Test("leave a category that something else has changed") func category() throws {
    let payload = try Payload(Array(#"{"aps":{"alert":"old","category":"a"},\#(Self.notifee)}"#.utf8))
    let place = try #require(payload.object["aps"]?["category"])
    let change = JSONEdit(place.range, Array(#""a-1""#.utf8))
    let edits = payload.applyingTexts(of: payload.mediaReferences(), after: [change])
    #expect(
      String(decoding: try payload.applying([change] + edits), as: UTF8.self)
        == #"{"aps":{"alert":{"body":"B"},"category":"a-1","sound":"ping.caf"},\#(Self.notifee)}"#)
  }

  @Test("for media that cannot be had become the body") func substitute() throws {
    let rest = #""_mediaUrl":"https://a","_mediaAlt":"A \u00fc""#
    let payload = try Payload(
      Array(#"{"aps":{"alert":{"title":"T","loc-key":"K","loc-args":[]}},\#(rest)}"#.utf8))
    let references = payload.mediaReferences()
    #expect(payload.applyingTexts(of: references) == [])
    #expect(payload.applyingSubstitute(for: []) == [])
    let edits = payload.applyingSubstitute(for: references)
    #expect(
      String(decoding: try payload.applying(edits), as: UTF8.self)
        == #"{"aps":{"alert":{"title":"T","body":"A ü"}},\#(rest)}"#)
  }

  @Test("of an envelope replace those that it has for iOS")
  func envelope() throws {
    let text =
      #"{"audience":"all","notification":{"ios":{"alert":"a","media_attachment":{"url":"https://a","content":{"body":"B"}},"extra":{}}}}"#
    let message = try PushMessage(Array(text.utf8))
    let payload = try #require(message.payloads.first)
    let edits = payload.applyingTexts(of: payload.mediaReferences())
    #expect(
      String(decoding: try payload.applying(edits), as: UTF8.self)
        == text.replacing(#""alert":"a""#, with: #""alert":{"body":"B"}"#))
  }

  @Test("a spare takes its deep link along") func spare() throws {
    let text =
      #"{"_sd":"a","_sw":{"media":{"url":"https://a","fallback_url":"https://b","fallback_sd":"\u0062"}}}"#
    let payload = try Payload(Array(text.utf8))
    let references = payload.mediaReferences()
    #expect(references.map(\.spareFor) == [nil, "https://a"])
    #expect(payload.applyingSpares(among: [references[0]]) == [])
    #expect(
      String(decoding: try payload.applying(payload.applyingSpares(among: [references[1]])), as: UTF8.self)
        == text.replacing(#""_sd":"a""#, with: #""_sd":"\u0062""#))
  }

  @Test("a name that the dialect itself has is known to be taken") func name() throws {
    let kumulos = try Payload(Array(#"{"attachments":{"pictureUrl":"https://a"}}"#.utf8)).mediaReferences()
    #expect(kumulos.first?.isIn(member: "attachments") == true)
    #expect(kumulos.first?.isIn(member: "files") == false)
  }
}
