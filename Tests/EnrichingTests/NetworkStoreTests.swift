import Fetching
import Misbehaving
import Notifications
import Storing
import TestSupport
import Testing

@testable import Enriching

/// The promises about stores also hold for a store on another machine.
@Suite("A store over a network", .timeLimit(.minutes(2)))
struct NetworkStoreTests {
  private static let photo = Behaviour.serve(
    Response(
      .file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg",
      fields: [.init("Cache-Control", "max-age=60")]))
  private static let animation = Behaviour.serve(
    Response(.file("\(Fixtures.media)/animation.gif"), as: "image/gif"))
  private static let photoSize = 7_333
  private static let refusal = StoreError.other(
    "the bucket answered 403", advice: "give this key the right to put", extent: .forNow)

  @Test("has each medium under its name, and leaves nothing behind elsewhere") func works() async throws {
    try await withBucket { bucket, enricher, server, folder in
      let enrichment = await enricher.enrich(try payload(naming: server.url(Self.photo)))
      let name = try #require(bucket.names.first)
      #expect(enrichment.report.media.first?.stored?.url == "test://bucket/\(name)")
      #expect(enrichment.report.media.first?.stored?.sha256 == String(name.prefix(64)))
      #expect(bucket.object(name) == (try Files.read("\(Fixtures.media)/photo.jpg")))
      #expect(enrichment.report.storeEffect == .stored)
      #expect(folder.names == [])
    }
  }

  @Test("that refuses costs only the media: the payload goes out byte for byte, with store-failed")
  func refuses() async throws {
    try await withBucket { bucket, enricher, server, folder in
      bucket.change { _ in .init(error: Self.refusal) }
      let payload = try payload(naming: server.url(Self.photo))
      let enrichment = await enricher.enrich(payload)
      #expect(enrichment.outcome.bytes == payload.bytes)
      let failure = try #require(enrichment.outcome.failure)
      #expect(failure.reason == .storeFailed)
      #expect(failure.detail == "the bucket answered 403")
      #expect(failure.advice == "give this key the right to put")
      #expect(enrichment.report.storeEffect == .failed(failure))
      #expect(await enricher.tryStore() == failure)
      // The refusal is about these objects. The store itself works.
      #expect(await enricher.storeFailure() == nil)
      #expect(bucket.names == [])
      #expect(folder.names == [])
      bucket.change { _ in .init() }
      #expect(await enricher.tryStore() == nil)
      #expect(await enricher.enrich(payload).outcome.name == "enriched")
    }
  }

  @Test(
    "that refuses one medium does not count as failed, and one that refuses everything is reported at the start"
  )
  func extents() async throws {
    try await withBucket { bucket, enricher, server, _ in
      let failing = try payload(naming: server.url(Self.photo))
      bucket.change { _ in .init(error: .other("too large", advice: "", extent: .oneFile)) }
      let enrichment = await enricher.enrich(failing)
      #expect(enrichment.outcome.failure?.reason == .storeFailed)
      #expect(enrichment.report.storeEffect == .untouched)
      #expect(await enricher.storeFailure() == nil)
      bucket.change { _ in .init(error: .other("no such bucket", advice: "make it", extent: .lasting)) }
      #expect(await enricher.storeFailure()?.detail == "no such bucket")
    }
  }

  @Test("that answers after the deadline holds up nothing, and its late files are whole")
  func late() async throws {
    try await withBucket(cacheBytes: 1 << 20) { bucket, enricher, server, folder in
      let latch = Latch()
      bucket.change { _ in .init(heldBy: latch) }
      let payload = try payload(naming: server.url(Self.photo))
      let enrichment = await enricher.enrich(payload)
      #expect(enrichment.outcome.bytes == payload.bytes)
      #expect(enrichment.outcome.failure?.reason == .deadlineExceeded)
      #expect(enrichment.outcome.failure?.detail == "the medium was waiting for the store")
      #expect(enrichment.outcome.failure?.isStoreOutage == true)
      #expect(bucket.names == [])
      latch.open()
      #expect(await eventually { bucket.names.count == 1 })
      #expect(bucket.object(bucket.names[0]) == (try Files.read("\(Fixtures.media)/photo.jpg")))
      bucket.change { _ in .init() }
      // The next payload gets the medium from the cache or puts it again, but never half of it.
      let again = await enricher.enrich(payload)
      #expect(again.outcome.name == "enriched")
      #expect(again.report.media.first?.stored?.url == "test://bucket/\(bucket.names[0])")
      #expect(bucket.names.count == 1)
      #expect(folder.names.filter { !$0.hasPrefix(".push-enricher-cache") } == [])
      #expect(await eventually { enricher.transfers.taken == 0 })
    }
  }

  @Test("that is slow with one medium does not hold up others") func slowForOne() async throws {
    try await withBucket(deadline: .seconds(30)) { bucket, enricher, server, _ in
      let latch = Latch()
      bucket.change { size in .init(heldBy: size == Self.photoSize ? latch : nil) }
      let slow = try payload(naming: server.url(Self.photo))
      let quick = try payload(naming: server.url(Self.animation))
      async let slowly = enricher.enrich(slow)
      #expect(await eventually { bucket.questions == 1 })
      for _ in 0..<20 {
        let enrichment = await enricher.enrich(quick)
        #expect(enrichment.outcome.name == "enriched")
        #expect(enrichment.report.storeEffect == .stored)
      }
      latch.open()
      #expect(await slowly.outcome.name == "enriched")
    }
  }

  @Test("that does not answer is not tested twice at once") func silent() async throws {
    try await withBucket { bucket, enricher, _, _ in
      let latch = Latch()
      bucket.change { _ in .init(heldBy: latch) }
      for _ in 0..<2 { #expect(await enricher.tryStore() == .storeHangs) }
      #expect(bucket.questions == 1)
      latch.open()
      let isBack = try await eventually { () async throws in await enricher.tryStore() == nil }
      #expect(isBack)
    }
  }

  @Test("that has lost a file gets it again") func lost() async throws {
    try await withBucket(cacheBytes: 1 << 20) { bucket, enricher, server, _ in
      let payload = try payload(naming: server.url(Self.photo))
      #expect(await enricher.enrich(payload).report.media.first?.cacheUse == .miss)
      try await Task.sleep(for: .milliseconds(1_100))
      #expect(await enricher.enrich(payload).report.media.first?.cacheUse == .hit)
      bucket.removeAll()
      try await Task.sleep(for: .milliseconds(1_100))
      #expect(await enricher.enrich(payload).report.media.first?.cacheUse == .miss)
      #expect(bucket.names.count == 1)
    }
  }

  @Test("a setting says where the file of the cache is") func cacheFile() async throws {
    try await withTemporaryDirectory { other in
      let path = other.path(of: "cache")
      try await withBucket(cacheBytes: 1 << 20, cacheFile: path) { _, enricher, server, folder in
        let payload = try payload(naming: server.url(Self.photo))
        #expect(await enricher.enrich(payload).outcome.name == "enriched")
        #expect(other.names == ["cache"])
        #expect(folder.names == [])
      }
    }
  }

  /// - Parameter body: also gets the directory of the spools.
  private func withBucket(
    cacheBytes: Int = 0, cacheFile: String? = nil, deadline: Duration = .seconds(2),
    _ body: (Bucket, Enricher, HostileServer, TemporaryDirectory) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        let bucket = Bucket(spools: folder.path)
        var settings = try EnrichmentSettings.reaching(server.port, store: folder)
        settings.store = Bucket.place
        settings.stores = [bucket.kind] + settings.stores
        settings.deadline = deadline
        settings.cacheBytes = cacheBytes
        settings.cacheFile = cacheFile
        try await body(bucket, try Enricher(settings: settings), server, folder)
      }
    }
  }
}
