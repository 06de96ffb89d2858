@testable import Enriching
import Misbehaving
import Notifications
import Sniffing
import TestSupport
import Testing

/// Files that are attached although iOS may not show them.
@Suite("Warnings", .timeLimit(.minutes(5)))
struct WarningTests {
  private static let files: [(name: String, type: String, warning: MediaWarning?)] = [
    ("policy/av1-in-mp4.mp4", "video/mp4", .av1), ("policy/hev1-with-sound.mp4", "video/mp4", .hev1),
    ("policy/opus-alone.m4a", "audio/mp4", .opus), ("policy/other-sound-dts.m4a", "audio/mp4", .otherSound),
    ("policy/cmyk-baseline.jpg", "image/jpeg", .cmyk), ("policy/16-bit-gray.png", "image/png", .sixteenBit),
    ("policy/shown-h264.mp4", "video/mp4", nil), ("media/photo.jpg", "image/jpeg", nil),
    ("media/clip-index-at-end.mp4", "video/mp4", nil),
  ]

  private static func behaviour(_ name: String, _ type: String) -> Behaviour {
    var response = Response(.file("\(Fixtures.root)/Fixtures/\(name)"), as: type)
    response.fields = [.init("Cache-Control", "max-age=60")]
    return .serve(response)
  }

  @Test("a report has the warning about a file that is attached", arguments: files.map(\.name))
  func report(name: String) async throws {
    let (_, type, warning) = try #require(Self.files.first { $0.name == name })
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        let enricher = try Enricher(settings: .reaching(server.port, store: store))
        let report = await enricher.enrich(try payload(naming: server.url(Self.behaviour(name, type)))).report
        #expect(report.outcome == "enriched")
        #expect(report.media.map(\.warning) == [warning])
        let medium = try #require(try json(report)["media"]?[0])
        #expect(medium["warning"]?.string == warning?.rawValue)
        #expect(medium["warning_detail"]?.string == warning?.text)
      }
    }
  }

  @Test("the cache keeps the warning, also across a restart") func cache() async throws {
    try await ReuseTests.withSite { site in
      let url = site.server.url(Self.behaviour("policy/av1-in-mp4.mp4", "video/mp4"))
      for uses in [[CacheUse.miss, .hit], [.hit]] {
        let enricher = try site.enricher()
        for use in uses {
          let medium = try #require(await enricher.enrich(try payload(naming: url)).report.media.first)
          #expect(medium.cacheUse == use)
          #expect(medium.format == .mp4)
          #expect(medium.warning == .av1)
        }
      }
    }
  }

  @Test("a file that is not attached has none") func refused() async throws {
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in
        var settings = try EnrichmentSettings.reaching(server.port, store: store)
        settings.limits[.video] = 100
        let url = server.url(Self.behaviour("policy/av1-in-mp4.mp4", "video/mp4"))
        let report = await (try Enricher(settings: settings)).enrich(try payload(naming: url)).report
        #expect(report.failure?.reason == .bodyTooLarge)
        #expect(report.media.map(\.warning) == [nil])
      }
    }
  }
}
