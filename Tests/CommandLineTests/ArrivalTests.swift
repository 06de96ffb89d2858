import Enriching
import Notifications
import TestSupport
import Testing

/// What strangers' servers and providers send, tested with the program itself.
@Suite("What arrives", .servedByNginx)
struct ArrivalTests {
  private static let noise = String(repeating: "Ab-_", count: 24)

  @Test(
    "content for an app's own extension is left to it",
    arguments: [
      ("\"spns\":1,\"enc_payload\":\"\(noise)\"", "encrypted for the extension of Session"),
      (
        "\"notificationData\":{\"nonce\":\"\(noise)\",\"message\":\"\(noise)\"}",
        "encrypted for the extension of SimpleX"
      ),
      (
        #""ejson":"{\"host\":\"https://a\",\"notificationType\":\"message-id-only\"}""#,
        "fetched by the extension of Rocket.Chat"
      ),
    ])
  func foreign(members: String, says: String) async throws {
    let enriched = try await enrich(Push.with(members))
    expectUnmodified(enriched, .noMedia, saying: "its content is \(says); leave it to the app's extension")
  }

  @Test("a picture beside Bark's ciphertext does not count: anybody can add one") func bark() async throws {
    let nginx = try #require(ServedByNginx.server)
    try await withTemporaryDirectory { folder in
      let sealing = try Sealing(folder)
      let outer = try folder.write(Push.with(#""image":"\#(nginx.httpOrigin)/photo.png""#), to: "outer.json")
      let payload = try await sealing.payload(
        #"{"Body":"Look!","IMAGE":"\#(nginx.httpOrigin)/photo.jpg"}"#, for: "phone", ["--into", outer])
      let enriched = try await enrich(payload, reaching(nginx.httpPort) + ["--keys", sealing.keys])
      #expect(enriched.stored == [try await StoredMedia("photo.jpg", type: "public.jpeg").name])
      #expect(try enriched.aps() == #"{"alert":{"body":"Look!"},"mutable-content":1}"#)
      var broken = payload
      let place = try #require(payload.firstRange(of: Array(#""ciphertext":""#.utf8))).upperBound
      broken[place] = UInt8(ascii: payload[place] == UInt8(ascii: "A") ? "B" : "A")
      expectUnmodified(
        try await enrich(broken, reaching(nginx.httpPort) + ["--keys", sealing.keys]), .decryptFailed)
    }
  }

  @Test(
    "texts beside the media are taken over if that is wanted",
    arguments: [
      (
        #""com.urbanairship.media_attachment":{"url":["R/photo.jpg"],"content":{"title":"T","body":"B"}}"#,
        #"{"alert":{"title":"T","body":"B"},"mutable-content":1}"#
      ),
      (
        #""notifee_options":{"image":"R/photo.jpg","body":"B","ios":{"sound":"ping.caf","categoryId":"chat"}}"#,
        #"{"alert":{"body":"B"},"mutable-content":1,"sound":"ping.caf","category":"chat"}"#
      ),
      (
        #""_mediaUrl":"R/photo.jpg","_mediaAlt":"A photo""#, #"{"alert":"Hello","mutable-content":1}"#
      ),
    ])
  func texts(members: String, aps: String) async throws {
    let nginx = try #require(ServedByNginx.server)
    let payload = Push.with(members.replacing("R/", with: "\(nginx.httpOrigin)/"))
    for (options, expected) in [
      (["--apply-texts"], aps), ([], #"{"alert":"Hello","mutable-content":1}"#),
    ] {
      let enriched = try await enrich(payload, reaching(nginx.httpPort) + options)
      #expect(enriched.outcome == "enriched", "\(enriched.run.standardError)")
      #expect(try enriched.aps() == expected)
      let isUnchanged = expected == #"{"alert":"Hello","mutable-content":1}"#
      #expect(enriched.report?.root["texts"]?.string == (isUnchanged ? nil : "media"))
    }
  }

  @Test("a text for media that cannot be had becomes the body if that is wanted") func substitute()
    async throws
  {
    let nginx = try #require(ServedByNginx.server)
    let options = reaching(nginx.httpPort)
    let payload = Push.with(#""_mediaUrl":"\#(nginx.httpOrigin)/missing.jpg","_mediaAlt":"A photo""#)
    let enriched = try await enrich(payload, options + ["--apply-texts", "--explain"])
    #expect(enriched.outcome == "enriched", "\(enriched.run.standardError)")
    #expect(
      enriched.run.output
        == String(decoding: payload, as: UTF8.self).replacing(#""Hello""#, with: #"{"body":"A photo"}"#))
    #expect(enriched.media.first?["reason"]?.string == "http-status")
    #expect(enriched.stored == [])
    #expect(enriched.report?.root["texts"]?.string == "substitute")
    #expect(enriched.told.contains("texts    the alert has the provider's text for missing media"))
    expectUnmodified(try await enrich(payload, options), .httpStatus)
    expectUnmodified(try await enrich(payload, options + ["--apply-texts", "--require-all"]), .httpStatus)
    // The SDK finds this file in the app's bundle.
    let bundled = Push.with(#""_mediaUrl":"photo.png","_mediaAlt":"A photo""#)
    expectUnmodified(try await enrich(bundled, options + ["--apply-texts"]), .noMedia)
  }

  /// Each row: the file on the server's disk, and its URL after the origin, as JSON.
  @Test("URLs as people write them reach the file")
  func urls() async throws {
    let rows: [(file: String, json: String)] = [
      ("a b.jpg", "a b.jpg"), ("a b.jpg", "a%20b.jpg"), ("a|b{c}.jpg", "a|b{c}.jpg"),
      ("a|b{c}.jpg", "a%7Cb%7bc%7d.jpg"), ("100%.jpg", "100%.jpg"), ("100%.jpg", "100%25.jpg"),
      ("[1]^`<2>.jpg", "[1]^`<2>.jpg"), (#"a\b"c".jpg"#, #"a\\b\"c\".jpg"#), ("größe.jpg", "größe.jpg"),
      ("größe.jpg", "gr%C3%B6%c3%9fe.jpg"), ("größe.jpg", #"gr\u00f6\u00dfe.jpg"#), ("a+b.jpg", "a+b.jpg"),
      ("a b.jpg", #"a b.jpg\n"#), ("a b.jpg", #"a b.jpg\u00a0\u200b \t"#),
      ("a b.jpg", "a b.jpg?x=a b|{c}&y=%zz#f"),
    ]
    let photo = try Files.read("\(Fixtures.media)/photo.jpg")
    try await withTemporaryDirectory { folder in
      for (file, _) in rows { try folder.write(photo, to: file) }
      try await withNginx(serving: folder.path) { nginx in
        for (file, json) in rows {
          let payload = Push.naming("\(nginx.httpOrigin)/\(json)")
          let enriched = try await enrich(payload, reaching(nginx.httpPort))
          #expect(enriched.outcome == "enriched", "\(file): \(enriched.run.standardError)")
          #expect(enriched.stored.count == 1)
          #expect(enriched.run.standardOutput.starts(with: payload.dropLast()))
        }
      }
    }
  }
}

extension Enriched {
  fileprivate func aps() throws -> String? { try JSONDocument(run.standardOutput).root["aps"]?.spelling }
}
