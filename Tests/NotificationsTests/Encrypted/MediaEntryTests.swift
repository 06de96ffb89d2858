import Testing

@testable import Notifications

/// The media that encrypted content names.
@Suite struct MediaEntryTests {
  @Test func shapes() throws {
    let entries = try Self.entries(
      #"""
      {"media":["https://m.example/0",
        {"url":"https:\/\/m.example\/1?a=b","id":"one","mimetype":"image/jpeg","enc":{}},
        {"url":"aesgcm://m.example/2#abc","type":"public.png","options":{"thumbnailHidden":true}},
        {"file":{"url":"https://m.example/3"},"url":"https://ignored.example"},
        {"id":"nothing"}, 7, null, {"url":""}, {"url":5}, []]}
      """#)
    #expect(
      entries.map(\.reference.url) == [
        "https://m.example/0", "https://m.example/1?a=b", "aesgcm://m.example/2", "https://m.example/3",
      ])
    #expect(entries.map(\.reference.identifier) == ["media", "one", "media-2", "media-3"])
    #expect(entries.map(\.reference.path) == ["media.0", "media.1.url", "media.2.url", "media.3.file.url"])
    #expect(
      entries.map { $0.fragment.map { String(decoding: $0, as: UTF8.self) } } == [nil, nil, "abc", nil])
    #expect(entries.map { $0.object == nil } == [true, false, false, false])
    #expect(entries[1].reference.typeHint == TypeHint("image/jpeg"))
    #expect(entries[2].reference.options == AttachmentOptions(typeHint: "public.png", thumbnailHidden: true))
    #expect(Set(entries.map(\.reference.dialect)) == ["encrypted content"])
  }

  @Test func oneMediumIsNoList() throws {
    #expect(try Self.entries(#"{"media":"https://m.example/0"}"#).map(\.reference.path) == ["media"])
    #expect(
      try Self.entries(#"{"media":{"url":"https://m.example/0"}}"#).map(\.reference.path) == ["media.url"])
  }

  /// A fragment may be a key, whatever the scheme.
  @Test func fragmentsAreNoPartOfURLs() throws {
    let entries = try Self.entries(##"{"media":["https://m.example/0#secret","#secret"]}"##)
    #expect(entries.map(\.reference.url) == ["https://m.example/0", ""])
  }

  /// Such texts are not URLs, and comparing them would take seconds.
  @Test func textsOfManyMarksAreLeftOut() throws {
    let marks = String(repeating: "\u{301}", count: 31)
    let url = "https://m.example/"
    let entries = try Self.entries(##"{"media":["\##(url)\##(marks)","\##(url)#\##(marks)"]}"##)
    #expect(entries.map(\.reference.url) == ["https://m.example/"])
  }

  @Test func pictureOfOthers() throws {
    let text = #"{"icon":"https://m.example/i","image":"https://m.example/j"}"#
    #expect(try Self.entries(text).isEmpty)
    #expect(try Self.entries(text, orIn: "icon").map(\.reference.url) == ["https://m.example/i"])
    #expect(try Self.entries(#"{"icon":"https://m.example/i","media":[]}"#, orIn: "icon").isEmpty)
    let null = try Self.entries(#"{"icon":"https://m.example/i","media":null}"#, orIn: "icon")
    #expect(null.map(\.reference.url) == ["https://m.example/i"])
  }

  /// A key in cleartext is not accepted.
  @Test(
    arguments: [
      (#"{"url":"https://m.example"}"#, nil), (#"{"url":"https://m.example","enc":{}}"#, .unacceptable),
      (#"{"url":"https://m.example","enc":{"ce":"aes128gcm","kid":"m1"}}"#, .aes128gcm(keyID: "m1")),
      (#"{"url":"https://m.example","enc":{"ce":"aes128gcm","kid":"m1","k":"x"}}"#, .unacceptable),
      (#"{"url":"https://m.example","enc":{"ce":"aes128gcm","kid":1}}"#, .unacceptable),
      (#"{"url":"https://m.example","enc":{"ce":"signal","kid":"m1"}}"#, .unacceptable),
      (#"{"url":"https://m.example","enc":null}"#, nil),
      (#"{"url":"https://m.example","enc":false}"#, .unacceptable),
      (#"{"url":"https://m.example","enc":""}"#, .unacceptable),
      (#"{"url":"https://m.example","enc":{"ce":"aes128gcm","kid":"m1","k":null}}"#, .aes128gcm(keyID: "m1")),
      (#"{"url":"https://m.example","enc":{"ce":"aes128gcm","kid":"m1","k":false}}"#, .unacceptable),
    ] as [(String, MediaCoding?)])
  func codingInTheClear(medium: String, coding: MediaCoding?) throws {
    let payload = try Payload(Array(#"{"media":[\#(medium)]}"#.utf8))
    #expect(payload.mediaReferences().map(\.coding) == [coding])
  }

  @Test("there are no more entries than requested, and entries that name nothing do not count")
  func maximum() throws {
    let content = try #require(
      PlainContent(
        try JSONDocument(Array(#"{"media":[1,{"url":""},"a",{"url":"b"},{"file":{"url":"c"}}]}"#.utf8))))
    #expect(content.media(orIn: nil, atMost: 2).map(\.reference.url) == ["a", "b"])
    #expect(
      content.media(orIn: nil, atMost: 4).map(\.reference.path) == [
        "media.2", "media.3.url", "media.4.file.url",
      ])
  }

  private static func entries(_ text: String, orIn other: String? = nil) throws -> [MediaEntry] {
    try #require(PlainContent(try JSONDocument(Array(text.utf8)))).media(orIn: other)
  }
}
