import Enriching
import Notifications
import Misbehaving
import TestSupport
import Testing

@Suite("--write in-place")
struct InPlaceTests {
  private static let inPlace = ["--write", "in-place"]

  @Test("replaces the URLs of media that work, and no other byte") func partly() async throws {
    try await withHostileServer { server in
      let payload = Push.naming(
        server.url(.serve(.notFoundPage)), server.url(.serve(.photo)), server.url(.serve(.clip)))
      let enriched = try await enrich(payload, reaching(server.port) + Self.inPlace)
      let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
      let clip = try await StoredMedia("clip.avi", type: "public.avi")
      let expected = String(decoding: payload, as: UTF8.self)
        .replacing(server.url(.serve(.photo)), with: publicURL + photo.name)
        .replacing(server.url(.serve(.clip)), with: publicURL + clip.name)
      #expect(enriched.run.output == expected)
      #expect(
        enriched.media.map { $0["written_at"]?.elements.map(\.string) } == [
          nil, ["media.1.url"], ["media.2.url"],
        ])
      let all = try await enrich(payload, reaching(server.port) + Self.inPlace + ["--require-all"])
      expectUnmodified(all, .httpStatus)
      #expect(all.media.allSatisfy { $0["written_at"] == nil })
    }
  }

  @Test("reports each replaced place once, in --explain and in --report") func places()
    async throws
  {
    try await withHostileServer { server in
      let url = server.url(.serve(.photo))
      let payload = Push.with(
        #""media":["\#(url)"],"acme":"{\"hero\":\"\#(url)\"}","fcm_options":{"image":"\#(url)"},"image":"\#(url)""#
      )
      let enriched = try await enrich(
        payload,
        reaching(server.port) + Self.inPlace + [
          "--explain", "--media-key", "acme.hero", "--media-key", "fcm_options.image",
        ])
      let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
      let stored = publicURL + photo.name
      #expect(
        enriched.run.standardOutput
          == Push.with(
            #""media":["\#(stored)"],"acme":"{\"hero\":\"\#(stored)\"}","fcm_options":{"image":"\#(stored)"},"image":"\#(url)""#
          ))
      #expect(enriched.run.standardError.contains("\nwritten  at media.0, acme.hero, fcm_options.image\n"))
      #expect(
        enriched.media.first?["written_at"]?.elements.map(\.string) == [
          "media.0", "acme.hero", "fcm_options.image",
        ])
    }
  }

  @Test("can be combined with attachments") func both() async throws {
    try await withHostileServer { server in
      let url = server.url(.serve(.photo))
      let enriched = try await enrich(
        Push.naming(url),
        reaching(server.port) + ["--write", "attachments,in-place", "--attachments-key", "a.b"])
      let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
      let member = #""a.b":[\#(photo.attachment(type: "public.jpeg"))]"#
      #expect(
        enriched.run.standardOutput == inserting(member, into: Push.naming(publicURL + photo.name)))
      #expect(
        enriched.media.first?["written_at"]?.elements.map(\.string) == ["media.0.url", #"a\.b.0"#])
      let taken = try await enrich(
        Push.with(#""a.b":1,"media":"\#(url)""#),
        reaching(server.port) + ["--write", "attachments,in-place", "--attachments-key", "a.b"])
      expectUnmodified(taken, .attachmentsKeyTaken)
    }
  }

  @Test("accepts results up to the limit of APNs, to the byte, even if the input was larger") func size()
    async throws
  {
    let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
    try await withHostileServer { server in
      let long = server.url(.serve(.photo), file: "photo.jpg?" + String(repeating: "a", count: 500))
      let grown = (publicURL + photo.name).utf8.count - long.utf8.count
      #expect(grown < 0)
      let options = reaching(server.port) + Self.inPlace
      let fits = try await enrich(Push.naming(long, size: 4_096 - grown), options)
      #expect(fits.outcome == "enriched", "\(fits.line)")
      #expect(fits.run.standardOutput.count == 4_096)
      let exceeds = try await enrich(Push.naming(long, size: 4_097 - grown), options)
      expectUnmodified(exceeds, .payloadTooLarge, saying: "4097 bytes, 1 more than the 4096")
      // This one is too large even without any URL.
      let requests = server.tally(of: .serve(.photo)).requests
      expectUnmodified(
        try await enrich(Push.naming(long, size: 4_097 + long.utf8.count), options), .payloadTooLarge)
      #expect(server.tally(of: .serve(.photo)).requests == requests)
    }
  }
}
