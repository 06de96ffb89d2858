import Enriching
import Misbehaving
import Notifications
import TestSupport
import Testing

@Suite("Several media in a payload")
struct SeveralMediaTests {
  @Test("with the same URL are fetched once, and attached once") func once() async throws {
    try await withHostileServer { server in
      let url = server.url(.serve(.photo))
      let enriched = try await enrich(
        Push.with(
          #""media":[{"url":"\#(url)"},{"url":"\#(url)","id":"again"}],"fcm_options":{"image":"\#(url)"}"#),
        reaching(server.port))
      #expect(enriched.outcome == "enriched")
      #expect(enriched.media.count == 1)
      #expect(server.tally(of: .serve(.photo)).requests == 1)
    }
  }

  @Test("with the same content are stored once, and attached twice") func content() async throws {
    try await withHostileServer { server in
      let late = Behaviour.late(by: .milliseconds(1), .serve(.photo))
      let enriched = try await enrich(
        Push.naming(server.url(.serve(.photo)), server.url(late)), reaching(server.port))
      let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
      let attachments = [
        photo.attachment("media", type: "public.jpeg"), photo.attachment("media-2", type: "public.jpeg"),
      ].joined(separator: ",")
      #expect(
        enriched.run.standardOutput == inserting(#""attachments":[\#(attachments)]"#, into: enriched.input))
      #expect(enriched.stored == [photo.name])
    }
  }

  /// As on iOS, a picture that fails does not affect the others.
  @Test("are attached in the order of the payload if they work") func partly() async throws {
    try await withHostileServer { server in
      let payload = Push.naming(
        server.url(.serve(.notFoundPage)), server.url(.late(by: .milliseconds(300), .serve(.clip))),
        server.url(.serve(Response(.bytes(Array("text".utf8))))), server.url(.serve(.photo)))
      let enriched = try await enrich(payload, reaching(server.port))
      let clip = try await StoredMedia("clip.avi", type: "public.avi")
      let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
      let attachments = [
        clip.attachment("media-2", type: "public.avi"), photo.attachment("media-4", type: "public.jpeg"),
      ].joined(separator: ",")
      #expect(enriched.run.standardOutput == inserting(#""attachments":[\#(attachments)]"#, into: payload))
      #expect(enriched.run.termination == .exited(0))
      #expect(
        enriched.line.contains(
          "media left out (http-status: the server answered 404), media-2 is an AVI movie of 10,136 bytes"))
      #expect(enriched.media.map { $0["reason"]?.string } == ["http-status", nil, "type-unsupported", nil])
    }
  }

  @Test("leave the payload unmodified with --require-all if one of them fails") func all() async throws {
    try await withHostileServer { server in
      let payload = Push.naming(server.url(.silent), server.url(.serve(.notFoundPage)))
      // The silent medium is not waited for.
      let enriched = try await enrich(payload, reaching(server.port) + ["--require-all"])
      expectUnmodified(enriched, .httpStatus, saying: "the server answered 404")
    }
  }

  @Test("that all fail give the payload the reason of the first one") func first() async throws {
    try await withHostileServer { server in
      let payload = Push.naming(
        server.url(.late(by: .milliseconds(300), .serve(Response(.bytes([1, 2, 3]))))),
        server.url(.serve(.notFoundPage)), "/nowhere.jpg")
      expectUnmodified(try await enrich(payload, reaching(server.port)), .typeUnsupported)
    }
  }

  @Test("beyond what a payload can carry are not requested") func many() async throws {
    try await withHostileServer { server in
      let urls = (0..<25).map { #""\#(server.url(.late(by: .milliseconds($0), .serve(.photo))))""# }
      let enriched = try await enrich(
        Push.with(#""media":[\#(urls.joined(separator: ","))]"#), reaching(server.port))
      expectUnmodified(enriched, .payloadTooLarge, saying: "it names more than 24 media")
      #expect(server.connections == 0)
    }
  }
}
