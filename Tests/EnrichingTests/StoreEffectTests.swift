import Glibc
import Misbehaving
import Notifications
import TestSupport
import Testing

@testable import Enriching

@Suite("What a payload says about the store")
struct StoreEffectTests {
  private static let photo = Behaviour.serve(
    Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg"))

  @Test("is nothing if it stored no medium", arguments: [#"{"aps":{}}"#, nil])
  func untouched(body: String?) async throws {
    try await withEnricher { enricher, server, _ in
      let none = try payload(naming: server.url(.serve(.notFoundPage)))
      let payload = try body.map { try PushMessage(Array($0.utf8)) } ?? none
      #expect(await enricher.enrich(payload).report.storeEffect == .untouched)
    }
  }

  @Test("is that it works, only once if others take the file from the cache") func cached() async throws {
    try await withEnricher(cacheBytes: 1 << 20) { enricher, server, _ in
      let photo = Response(
        .file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg",
        fields: [.init("Cache-Control", "max-age=60")])
      let payload = try payload(naming: server.url(.serve(photo)))
      #expect(await enricher.enrich(payload).report.storeEffect == .stored)
      let again = await enricher.enrich(payload)
      #expect(again.outcome.name == "enriched")
      #expect(again.report.storeEffect == .untouched)
    }
  }

  @Test("is that it fails, whatever else is wrong with the payload", arguments: [0, 1])
  func failing(position: Int) async throws {
    try await withEnricher { enricher, server, store in
      var urls = [server.url(.serve(.notFoundPage))]
      urls.insert(server.url(Self.photo), at: position)
      #expect(unsafe rename(store.path(of: "store"), store.path(of: "away")) == 0)
      let report = await enricher.enrich(try payload(naming: urls[0], urls[1])).report
      guard case .failed(let failure) = report.storeEffect else {
        Issue.record("\(report.storeEffect)")
        return
      }
      #expect(failure.reason == .storeFailed)
      #expect(await enricher.tryStore()?.reason == .storeFailed)
      #expect(unsafe rename(store.path(of: "away"), store.path(of: "store")) == 0)
      #expect(await enricher.tryStore() == nil)
    }
  }

  @Test("is nothing if only the name of this file is occupied") func occupied() async throws {
    try await withEnricher { enricher, server, store in
      let payload = try payload(naming: server.url(Self.photo))
      #expect(await enricher.enrich(payload).outcome.name == "enriched")
      let directory = store.path(of: "store")
      let path = "\(directory)/\(try #require(Files.names(in: directory).first { $0.hasSuffix(".jpg") }))"
      #expect(unsafe unlink(path) == 0)
      #expect(unsafe mkdir(path, 0o755) == 0)
      let enrichment = await enricher.enrich(payload)
      #expect(enrichment.outcome.failure?.reason == .storeFailed)
      #expect(enrichment.report.storeEffect == .untouched)
    }
  }

  /// - Parameter body: also gets the folder that contains the directory `store`.
  private func withEnricher(
    cacheBytes: Int = 0, _ body: (Enricher, HostileServer, TemporaryDirectory) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        var settings = try EnrichmentSettings.reaching(server.port, store: folder)
        settings.store = folder.path(of: "store")
        settings.cacheBytes = cacheBytes
        #expect(unsafe mkdir(settings.store, 0o755) == 0)
        try await body(try Enricher(settings: settings), server, folder)
      }
    }
  }
}
