import Enriching
import Notifications
import Misbehaving
import TestSupport
import Testing

/// A stored file whose URL has no place in the payload is listed under `attachments`.
@Suite("--write in-place with encryption")
struct InPlaceEncryptedTests {
  private static let inPlace = ["--write", "in-place"]

  @Test("lists the media of encrypted content") func content() async throws {
    try await withTemporaryDirectory { folder in
      let sealing = try Sealing(folder)
      try await withHostileServer { server in
        let url = server.url(.serve(.photo))
        let payload = try await sealing.payload(#"{"body":"Look!","media":[{"url":"\#(url)"}]}"#)
        let options = reaching(server.port) + ["--keys", sealing.keys]
        let enriched = try await enrich(payload, options + Self.inPlace)
        let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
        let list = "[\(photo.attachment(type: "public.jpeg"))]"
        #expect(try JSONDocument(enriched.run.standardOutput).root["attachments"]?.spelling == list)
        #expect(enriched.run.standardOutput == (try await enrich(payload, options)).run.standardOutput)
        #expect(enriched.media.first?["written_at"]?.elements.map(\.string) == ["attachments.0"])
        let empty = try await enrich(try await sealing.payload(#"{"body":"Look!"}"#), options + Self.inPlace)
        #expect(empty.outcome == "enriched")
        #expect(try JSONDocument(empty.run.standardOutput).root["attachments"] == nil)
      }
    }
  }

  /// If the URL were replaced, the encryption beside it would be wrong for the stored file.
  @Test("lists a medium whose encryption is stated next to its URL") func coded() async throws {
    let response = Response(
      .file("\(Fixtures.root)/Fixtures/encrypted/media/photo.png.aes128gcm"), as: "image/png")
    try await withTemporaryDirectory { folder in
      let keys = try KeyFile.copy(into: folder)
      try await withHostileServer { server in
        let sealed = #"{"url":"\#(server.url(.serve(response)))","enc":{"ce":"aes128gcm","kid":"dev-7f3a"}}"#
        let options = reaching(server.port) + ["--keys", keys] + Self.inPlace
        let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
        let png = try await StoredMedia("photo.png", type: "public.png")
        let enriched = try await enrich(
          Push.with(#""media":["\#(server.url(.serve(.photo)))",\#(sealed)]"#), options)
        let member = #""attachments":[\#(png.attachment("media-2", type: "public.png"))]"#
        let replaced = Push.with(#""media":["\#(publicURL)\#(photo.name)",\#(sealed)]"#)
        #expect(enriched.run.standardOutput == inserting(member, into: replaced))
        // Media that must be listed fail if the name of the list is taken. All others work.
        let taken = try await enrich(Push.with(#""attachments":1,"media":\#(sealed)"#), options)
        expectUnmodified(taken, .attachmentsKeyTaken)
        // A medium that fails is not listed.
        let failed = try await enrich(
          Push.with(#""media":["\#(server.url(.serve(.photo)))",\#(sealed)]"#),
          reaching(server.port) + Self.inPlace)
        #expect(failed.run.standardOutput == replaced)
      }
    }
  }
}
