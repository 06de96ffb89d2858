import Enriching
import Misbehaving
import TestSupport
import Testing

/// Media over HTTP/1.1 without a length, whose end is marked only by the end of the connection.
@Suite("Bodies that end with their connection")
struct CutBodyTests {
  /// The files of `MediaKindTests.accepted` that show their own end.
  static let showing: Set = [
    "animation.gif", "animation.png", "clip-fragmented.mp4", "clip-index-at-end.mp4", "clip.avi",
    "clip.m4v", "clip.mp4", "photo.jpg", "photo.png", "sound-named.mp4", "sound-rf64.wav", "sound.aifc",
    "sound.aiff", "sound.m4a", "sound.m4b", "sound.wav",
  ]

  private static func response(_ file: String) -> Response {
    Response(.file("\(Fixtures.media)/\(file)"), framing: .untilClose)
  }

  @Test("without TLS, a file that shows its end is accepted", arguments: showing.sorted())
  func shown(file: String) async throws {
    try await withHostileServer { server in
      let url = server.url(.serve(Self.response(file)))
      let enriched = try await enrich(Push.naming(url), reaching(server.port))
      #expect(enriched.outcome == "enriched", "\(enriched.told)")
      #expect(enriched.run.exitStatus == 0)
    }
  }

  @Test("without TLS, half of such a file is refused", arguments: showing.sorted())
  func half(file: String) async throws {
    try await withHostileServer { server in
      let url = server.url(.truncated(Self.response(file)))
      let enriched = try await enrich(Push.naming(url), reaching(server.port))
      expectUnmodified(enriched, .bodyTruncated, saying: "nothing shows that this is the whole body")
      #expect(enriched.stored.isEmpty)
    }
  }

  @Test(
    "without TLS, a file that does not show its end is refused",
    arguments: Set(MediaKindTests.accepted.keys).subtracting(showing).sorted())
  func endless(file: String) async throws {
    try await withHostileServer { server in
      let url = server.url(.serve(Self.response(file)))
      let enriched = try await enrich(Push.naming(url), reaching(server.port))
      expectUnmodified(enriched, .bodyTruncated)
    }
  }

  @Test(
    "over TLS, close_notify is needed, and is enough", arguments: [true, false], ["photo.jpg", "sound.mp3"])
  func farewell(isSaid: Bool, file: String) async throws {
    try await withTLS(speaking: .http1) { tls, caFile in
      try await withHostileServer(tls: tls) { server in
        let whole = Behaviour.serve(Self.response(file))
        let url = server.url(isSaid ? whole : .abruptly(whole))
        let enriched = try await enrich(Push.naming(url), reaching(server.port) + ["--ca-file", caFile])
        if isSaid {
          #expect(enriched.outcome == "enriched", "\(enriched.told)")
        } else {
          expectUnmodified(enriched, .bodyTruncated)
        }
      }
    }
  }

  @Test("a type that iOS does not accept is the reason, even if the body is cut")
  func type() async throws {
    try await withHostileServer { server in
      for file in ["page.html", "photo.webp", "photo.heic", "photo.avif"] {
        let url = server.url(.serve(Self.response(file)))
        expectUnmodified(try await enrich(Push.naming(url), reaching(server.port)), .typeUnsupported)
      }
    }
  }
}
