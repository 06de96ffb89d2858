import Fetching
import Misbehaving
import Notifications
import S3Storing
import Storing
import TestSupport
import Testing

@testable import Enriching

/// A store on another machine has to keep the same promises as a directory.
@Suite("A store over a network", .timeLimit(.minutes(5)))
struct NetworkStoreTests {
  private static let photo = Behaviour.serve(
    Response(
      .file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg",
      fields: [.init("Cache-Control", "max-age=60")]))
  private static let animation = Behaviour.serve(
    Response(.file("\(Fixtures.media)/animation.gif"), as: "image/gif"))

  @Test("has each medium under its name, and leaves nothing behind elsewhere") func works() async throws {
    try await withBucket { bucket, enricher, server, folder in
      let enrichment = await enricher.enrich(try payload(naming: server.url(Self.photo)))
      let name = try #require(bucket.media.first)
      #expect(enrichment.report.media.first?.stored?.url == "https://cdn.example/\(name)")
      #expect(enrichment.report.media.first?.stored?.sha256 == String(name.prefix(64)))
      #expect(bucket.object(name)?.bytes == (try Files.read("\(Fixtures.media)/photo.jpg")))
      #expect(bucket.object(name)?.contentType == "image/jpeg")
      #expect(enrichment.report.storeEffect == .stored)
      #expect(folder.names == [])
    }
  }

  @Test("that refuses costs only the media: the payload goes out byte for byte, with store-failed")
  func refuses() async throws {
    try await withBucket { bucket, enricher, server, folder in
      bucket.plan(.refuses(.slowDown))
      let payload = try payload(naming: server.url(Self.photo))
      let enrichment = await enricher.enrich(payload)
      #expect(enrichment.outcome.bytes == payload.bytes)
      let failure = try #require(enrichment.outcome.failure)
      #expect(failure.reason == .storeFailed)
      #expect(
        failure.detail
          == "the bucket media at 127.0.0.1:\(bucket.port) asks for fewer requests (503 SlowDown)")
      #expect(enrichment.report.storeEffect == .failed(failure))
      #expect(await enricher.tryStore() == failure)
      // The failure may pass, because the store itself works.
      #expect(await enricher.storeFailure()?.isLasting != true)
      #expect(bucket.keys() == [])
      #expect(folder.names == [])
      bucket.recover()
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
      bucket.plan(.refuses(S3Refusal(400, "EntityTooLarge", "")))
      let enrichment = await enricher.enrich(failing)
      #expect(enrichment.outcome.failure?.reason == .storeFailed)
      #expect(enrichment.report.storeEffect == .untouched)
      #expect(await enricher.storeFailure()?.isLasting != true)
      bucket.recover()
      bucket.change { $0.buckets = [] }
      #expect(
        await enricher.storeFailure()?.failure.detail
          == "the bucket media at 127.0.0.1:\(bucket.port) does not exist (404 NoSuchBucket)")
    }
  }

  @Test("that answers after the deadline holds up nothing, and its late files are whole")
  func late() async throws {
    // A busy machine may need seconds until the store has the medium.
    try await withBucket(cacheBytes: 1 << 20, deadline: .seconds(6)) { bucket, enricher, server, folder in
      let latch = Latch()
      bucket.plan(.waits(latch), on: ["PUT"])
      let payload = try payload(naming: server.url(Self.photo))
      let enrichment = await enricher.enrich(payload)
      #expect(enrichment.outcome.bytes == payload.bytes)
      #expect(enrichment.outcome.failure?.reason == .deadlineExceeded)
      #expect(enrichment.outcome.failure?.detail == "the medium was waiting for the store")
      #expect(enrichment.outcome.failure?.isStoreOutage == true)
      #expect(bucket.keys() == [])
      // The download's slot and the spool are free before the server answers.
      #expect(await eventually { enricher.transfers.taken == 0 })
      latch.open()
      #expect(await eventually { bucket.media.count == 1 })
      let name = try #require(bucket.media.first)
      #expect(bucket.object(name)?.bytes == (try Files.read("\(Fixtures.media)/photo.jpg")))
      bucket.recover()
      // The next payload puts the whole medium again. It gets a new enricher, because this one believes that
      // the store is slow.
      let settings = try Self.settings(server, bucket, folder, cacheBytes: 1 << 20)
      let again = await (try Enricher(settings: settings)).enrich(payload)
      #expect(again.outcome.name == "enriched")
      #expect(again.report.media.first?.stored?.url == "https://cdn.example/\(name)")
      #expect(bucket.media.count == 1)
      #expect(folder.names.filter { !$0.hasPrefix(".push-enricher-cache") } == [])
    }
  }

  @Test("that is slow with one medium does not hold up others") func slowForOne() async throws {
    try await withBucket(deadline: .seconds(30)) { bucket, enricher, server, _ in
      let latch = Latch()
      bucket.plan(.waits(latch), on: ["PUT"], next: 1)
      let slow = try payload(naming: server.url(Self.photo))
      let quick = try payload(naming: server.url(Self.animation))
      async let slowly = enricher.enrich(slow)
      #expect(await eventually { bucket.questions.count == 1 })
      for _ in 0..<20 { #expect(await enricher.enrich(quick).outcome.name == "enriched") }
      latch.open()
      #expect(await slowly.outcome.name == "enriched")
    }
  }

  @Test("that is too slow gets no medium that it could not take in time") func tooSlow() async throws {
    for (slowBytes, size) in [(0, "it"), (7_000, "7333 bytes")] {
      try await withTemporaryDirectory { folder in
        try await withHostileServer { server in
          var settings = try EnrichmentSettings.reaching(server.port, store: folder)
          settings.stores = [
            StoreKind(prefix: "/") { (place, _) throws(StoreError) in
              StorePlace(spoolDirectory: place) { (settings) throws(StoreError) in
                SlowStore(try DirectoryStore(path: place, settings), slowBytes)
              }
            }
          ]
          let enricher = try Enricher(settings: settings)
          let outcome = await enricher.enrich(try payload(naming: server.url(Self.photo))).outcome
          let failure = try #require(outcome.failure)
          #expect(failure.reason == .deadlineExceeded)
          #expect(
            failure.detail
              == "there was no time left to store \(size): going by recent uploads, that takes 60.0 s")
          // The store is at fault only if it is slow with everything.
          #expect(failure.isStoreOutage == (slowBytes == 0))
          #expect(server.requests(for: Self.photo).isEmpty == (slowBytes == 0))
          #expect(folder.names == [])
          let other = await enricher.enrich(try payload(naming: server.url(Self.animation))).outcome
          #expect(other.name == (slowBytes == 0 ? "unmodified" : "enriched"))
        }
      }
    }
  }

  @Test("that does not answer is not tested by many at once") func silent() async throws {
    try await withBucket(deadline: .seconds(6)) { bucket, enricher, _, _ in
      bucket.plan(.hangs, on: ["PUT"])
      for _ in 0..<3 { #expect(await enricher.tryStore() == .storeHangs) }
      #expect(await eventually { bucket.connections.open <= 1 })
      bucket.recover()
      let isBack = try await eventually { () async throws in await enricher.tryStore() == nil }
      #expect(isBack)
    }
  }

  @Test("that has lost a file gets it again") func lost() async throws {
    try await expectUses([.miss, .hit, .miss]) { number, bucket in
      if number == 2, let name = bucket.media.first { bucket.setObject(nil, name) }
    }
  }

  @Test("that does not say what it has for a while costs no entry of the cache") func unknown() async throws {
    try await expectUses([.miss, nil, .hit]) { number, bucket in
      if number == 1 { bucket.plan(.refuses(.accessDenied)) } else { bucket.recover() }
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

  /// Enriches the same payload again and again, each time with a new enricher, which does not know what the
  /// bucket had a moment ago.
  /// - Parameters:
  ///   - expected: where each gets the medium from; nil if it does not.
  ///   - prepare: called before each, with its number.
  private func expectUses(_ expected: [CacheUse?], after prepare: (Int, S3Server) -> Void) async throws {
    try await withTemporaryDirectory { other in
      try await withS3Server { bucket in
        try await withHostileServer { server in
          for (number, use) in expected.enumerated() {
            prepare(number, bucket)
            try await withTemporaryDirectory { folder in
              let settings = try Self.settings(
                server, bucket, folder, cacheBytes: 1 << 20, cacheFile: other.path(of: "cache"))
              let enricher = try Enricher(settings: settings)
              let report = await enricher.enrich(try payload(naming: server.url(Self.photo))).report
              #expect(report.media.first?.cacheUse == use)
            }
          }
          #expect(bucket.media.count == 1)
        }
      }
    }
  }

  private static func settings(
    _ server: HostileServer, _ bucket: S3Server, _ folder: TemporaryDirectory, cacheBytes: Int = 0,
    cacheFile: String? = nil
  ) throws -> EnrichmentSettings {
    var settings = try EnrichmentSettings.reaching(server.port, store: folder)
    settings.store(in: bucket, spool: folder)
    settings.cacheBytes = cacheBytes
    settings.cacheFile = cacheFile
    return settings
  }

  /// - Parameter body: also gets the directory of the spools.
  private func withBucket(
    cacheBytes: Int = 0, cacheFile: String? = nil, deadline: Duration = .seconds(20),
    _ body: (S3Server, Enricher, HostileServer, TemporaryDirectory) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        try await withS3Server { bucket in
          var settings = try Self.settings(
            server, bucket, folder, cacheBytes: cacheBytes, cacheFile: cacheFile)
          settings.deadline = deadline
          try await body(bucket, try Enricher(settings: settings), server, folder)
        }
      }
    }
  }
}

/// A directory that takes a minute for each medium of `slowBytes` or more.
private final class SlowStore: MediaStore {
  private let directory: DirectoryStore
  private let slowBytes: Int

  init(_ directory: DirectoryStore, _ slowBytes: Int) {
    (self.directory, self.slowBytes) = (directory, slowBytes)
  }

  var spools: SpoolDirectory { directory.spools }

  func store(_ medium: any ArrivedMedium) async throws(StoreError) -> StoredFile? {
    try await directory.store(medium)
  }

  func url(of name: String) -> String { directory.url(of: name) }
  func touch(_ name: String, size: Int) async -> Presence { await directory.touch(name, size: size) }
  func timeToStore(_ bytes: Int) -> Duration { bytes >= slowBytes ? .seconds(60) : .zero }
  func tryOut(bytes: Int) async throws(StoreError) { try await directory.tryOut(bytes: bytes) }
}
