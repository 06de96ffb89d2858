import Enriching
import Misbehaving
import TestSupport
import Testing

/// Apple's limits to the byte, tested with media of exactly that size.
@Suite("A body as large as the limit of its family")
struct SizeEdgeTests {
  static let files = [
    ("sound.mp3", 5_000_000), ("sound.wav", 5_000_000), ("photo.jpg", 10_000_000),
    ("animation.gif", 10_000_000),
    ("clip.mp4", 50_000_000),
  ]

  @Test(
    "is accepted, and one byte more is not", arguments: files,
    [Response.Framing.contentLength, .chunked(65_536)])
  func edge(file: (name: String, limit: Int), framing: Response.Framing) async throws {
    let first = try Files.read("\(Fixtures.media)/\(file.name)")
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        let enricher = try Enricher(settings: .reaching(server.port, store: store))
        func enrich(_ size: Int) async throws -> Enrichment {
          let response = Response(.padded(first: first, length: size), framing: framing)
          return await enricher.enrich(try payload(naming: server.url(.serve(response))))
        }
        let fits = try await enrich(file.limit)
        #expect(fits.outcome.failure == nil)
        #expect(fits.report.media.first?.stored?.size == file.limit)
        let exceeds = try await enrich(file.limit + 1)
        #expect(exceeds.outcome.failure?.reason == .bodyTooLarge)
        #expect(store.names.count == 1)
      }
    }
  }
}
