import Enriching
import Misbehaving
import Notifications
import TestSupport
import Testing

@Suite("Several media in a payload")
struct SeveralMediaTests {
  @Test("one URL is fetched once, and attached once") func once() async throws {
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

  @Test("the same content behind two URLs is stored once, and attached twice") func content() async throws {
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

  /// As on iOS: a picture that is missing takes no other with it.
  @Test("those that work are attached, in the order of the payload") func partly() async throws {
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
          "media left out (http-status: the server answered 404), media-2 is AVI movie of 10136 bytes"))
      #expect(enriched.media.map { $0["reason"]?.string } == ["http-status", nil, "type-unsupported", nil])
    }
  }

  @Test("with --require-all one failure leaves the payload alone") func all() async throws {
    try await withHostileServer { server in
      let payload = Push.naming(server.url(.silent), server.url(.serve(.notFoundPage)))
      // Nor is the one waited for that says nothing.
      let enriched = try await enrich(payload, reaching(server.port) + ["--require-all"])
      expectUnmodified(enriched, .httpStatus, saying: "the server answered 404")
    }
  }

  @Test("when all fail, the first reason in the payload is the reason") func first() async throws {
    try await withHostileServer { server in
      let payload = Push.naming(
        server.url(.late(by: .milliseconds(300), .serve(Response(.bytes([1, 2, 3]))))),
        server.url(.serve(.notFoundPage)), "/nowhere.jpg")
      expectUnmodified(try await enrich(payload, reaching(server.port)), .typeUnsupported)
    }
  }

  @Test("more than any payload could carry are not even asked for") func many() async throws {
    try await withHostileServer { server in
      let urls = (0..<25).map { #""\#(server.url(.late(by: .milliseconds($0), .serve(.photo))))""# }
      let enriched = try await enrich(
        Push.with(#""media":[\#(urls.joined(separator: ","))]"#), reaching(server.port))
      expectUnmodified(enriched, .payloadTooLarge, saying: "it names more than 24 media")
      #expect(server.connections == 0)
    }
  }
}
