import Testing

@testable import Notifications

@Suite struct MediaReferenceTests {
  static func references(_ text: String, _ keys: String...) throws -> [MediaReference] {
    try Payload(Array(text.utf8)).mediaReferences(mediaKeys: keys.map { try MediaKey($0) })
  }

  @Test func whole() throws {
    let references = try Self.references(
      #"{"com.urbanairship.media_attachment":{"urls":[{"url":"https://a/b","url_id":"x"}],"thumbnail_id":"y"}}"#
    )
    #expect(
      references == [
        MediaReference(
          url: "https://a/b", identifier: "x", options: AttachmentOptions(thumbnailHidden: true),
          dialect: "Airship", path: #"com\.urbanairship\.media_attachment.urls.0.url"#)
      ])
  }

  @Test("there are no more references than requested, and a URL counts once")
  func maximum() throws {
    let payload = try Payload(
      Array(#"{"media":["a",{"url":""},"a","b","c"],"fcm_options":{"image":"d"}}"#.utf8))
    #expect(payload.mediaReferences(atMost: 2).map(\.url) == ["a", "b"])
    #expect(payload.mediaReferences(atMost: 4).map(\.url) == ["a", "b", "c", "d"])
  }

  @Test func hintsComeAlong() throws {
    let references = try Self.references(
      #"{"media":[{"url":"u","type":"image"},{"url":"v","type":"public.png"},"w"]}"#)
    #expect(references.map(\.typeHint) == [TypeHint("image"), TypeHint("public.png"), nil])
    #expect(references.map(\.options.typeHint) == [nil, "public.png", nil])
    #expect(references.map(\.path) == ["media.0.url", "media.1.url", "media.2"])
  }

  /// The own dialect, media keys and namespaced keys all count, in this order. Flat and generic
  /// keys count only without them.
  @Test(arguments: [
    (
      #"{"image":"https://g","ct_mediaUrl":"https://f","fcm_options":{"image":"n"},"my":"k","media":"o"}"#,
      ["o", "k", "n"]
    ),
    (
      #"{"image":"https://g","ct_mediaUrl":"https://f","fcm_options":{"image":"n"},"itbl":{"attachment-url":"m"}}"#,
      ["n", "m"]
    ),
    (
      #"{"image":"https://g","ct_mediaUrl":"https://f","rich-media":"https://e"}"#,
      ["https://f", "https://e"]
    ),
    (#"{"imageUrl":"https://i","image_url":"https://h","image":"https://g"}"#, ["https://g"]),
    (#"{"imageUrl":"https://i","image_url":"https://h"}"#, ["https://h"]),
    (#"{"image":"https://g","os_data":{"att":{"a":"bundled.png"}}}"#, ["https://g"]),
    (#"{"image":"https://g","media":{"url":""}}"#, ["https://g"]),
    (#"{"image":"https://g","media":"image"}"#, ["https://g"]),
    (#"{"image":"https://g","data":{"picture":"https://i"},"media":["1","2"]}"#, ["https://g"]),
    (#"{"fcm_options":{"image":"https://n"},"image":"https://g","media":"video"}"#, ["https://n"]),
    (#"{"image":"gs://g","media":{"id":1,"url":"/m/1.jpg"}}"#, ["gs://g"]),
    (#"{"image":"https://g","media":["photo.jpg","https://o"]}"#, ["photo.jpg", "https://o"]),
    (#"{"image":"none","media":"image"}"#, ["image"]),
  ])
  func tiers(text: String, urls: [String]) throws {
    #expect(try Self.references(text, "my").map(\.url) == urls)
  }

  @Test func oneURLCountsOnce() throws {
    let references = try Self.references(
      #"{"media":[{"url":"u","id":"first"},"v","\u0075"],"fcm_options":{"image":"v"}}"#)
    #expect(references.map(\.url) == ["u", "v"])
    #expect(references.map(\.identifier) == ["first", "media"])
  }

  @Test func identifiersAreUnique() throws {
    let references = try Self.references(
      #"{"media":["a",{"url":"b","id":"x"},{"url":"c","id":"x"},{"url":"d","id":"media-2"},"e","f",{"url":"g","id":""},{"url":"h","id":"media"}]}"#
    )
    #expect(
      references.map(\.identifier) == [
        "media-3", "x", "x-2", "media-2", "media-4", "media-5", "media-6", "media",
      ])
  }

  @Test(arguments: [
    #"{"media":null}"#, #"{"media":7}"#, #"{"media":{"url":["u"]}}"#, #"{"media":[[["u"]]]}"#,
    #"{"media":{}}"#,
    #"{"image":{"url":"u"}}"#, #"{"notifee_options":"{\"image\":"}"#, #"{"notifee_options":"u"}"#,
    #"{"attachment":{"url":"u","lazy":true}}"#, #"{"_mediaUrl":"photo.jpg"}"#, #"{"att":"u"}"#,
    #"{"at":{"id":"https://a/b"}}"#,
  ])
  func nothingThere(text: String) throws {
    #expect(try Self.references(text) == [])
  }

  @Test func aWrongOptionIsLeftOut() throws {
    let wrong = [
      #"{"thumbnailHidden":1,"thumbnailTime":5}"#, #"{"thumbnailTime":"5","thumbnailHidden":false}"#,
      #"{"thumbnailTime":-1,"thumbnailHidden":false}"#, #"{"thumbnailTime":1e400,"thumbnailHidden":false}"#,
      #"{"thumbnailClippingRect":{"x":0,"y":0,"width":1},"thumbnailTime":5}"#,
      #"{"thumbnailClippingRect":{"x":0,"y":0,"width":1,"height":1.1},"thumbnailTime":5}"#,
      #"{"thumbnailClippingRect":[0,0,1,1],"thumbnailTime":5}"#,
    ]
    let options = try wrong.map {
      try #require(Self.references(#"{"media":{"url":"u","options":\#($0)}}"#).first).options
    }
    let (time, hidden) = (AttachmentOptions(thumbnailTime: 5), AttachmentOptions(thumbnailHidden: false))
    #expect(options == [time, hidden, hidden, hidden, time, time, time])
  }

  @Test func clippingRectsAsIOSWritesThem() throws {
    let text =
      #"{"media":{"url":"u","options":{"thumbnailClippingRect":{"X":0,"Y":0.5,"Width":1,"Height":0.5}}}}"#
    let rect = try #require(Self.references(text).first).options.thumbnailClippingRect
    #expect(rect == ClippingRect(x: 0, y: 0.5, width: 1, height: 0.5))
  }

  /// What the sender says about a single attachment has precedence over `thumbnail_id`.
  @Test func airshipHiddenGoesFirst() throws {
    let references = try Self.references(
      #"{"com.urbanairship.media_attachment":{"url":["u","v"],"thumbnail_id":"x","options":{"hidden":false}}}"#
    )
    #expect(references.map(\.options.thumbnailHidden) == [false, false])
  }

  @Test func thousandsOfURLs() throws {
    let list = (0..<5_000).map { #""u\#($0)""# }.joined(separator: ",")
    let references = try Self.references(#"{"media":[\#(list)]}"#)
    #expect(references.count == 5_000)
    #expect(Set(references.map(\.identifier)).count == 5_000)
    #expect(references.last?.path == "media.4999")
  }

  @Test func thousandsOfTheSameIdentifier() throws {
    let list = (0..<2_500).map { #"{"url":"\#($0)","id":"i"}"# }.joined(separator: ",")
    let references = try Self.references(#"{"media":[\#(list)]}"#)
    #expect(Set(references.map(\.identifier)).count == 2_500)
    #expect(references.last?.identifier == "i-2500")
  }

  @Test func thousandsOfURLsAndOfOtherMembers() throws {
    let list = (0..<4_000).map { #""\#($0)""# }.joined(separator: ",")
    let others = String(repeating: #""":0,"#, count: 6_000)
    let references = try Self.references(
      #"{\#(others)"com.urbanairship.media_attachment":{"url":[\#(list)],"options":{"time":1}}}"#)
    #expect(references.count == 4_000)
    #expect(references.allSatisfy { $0.options.thumbnailTime == 1 })
  }

  @Test func stringsInStrings() throws {
    let deep = String(repeating: "[", count: 500)
    #expect(try Self.references(#"{"notifee_options":"\#(deep)"}"#) == [])
  }
}
