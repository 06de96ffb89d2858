import enum Caching.CacheError
import class Caching.CacheFile
@testable import Enriching
import Glibc
import Misbehaving
import Synchronization
import TestSupport
import Testing

/// Files that cannot be used as the cache's file.
@Suite("The file of the cache", .timeLimit(.minutes(5)))
struct CacheFileTests {
  @Test("a cache that cannot be written costs no payload anything, and causes one warning") func broken()
    async throws
  {
    try await ReuseTests.withSite { site in
      #expect(unsafe mkdir(site.store.path(of: CacheFile.name), 0o755) == 0)
      let told = Sentences()
      let enricher = try site.enricher { $0.warn = { told.add($0) } }
      let behaviour = Behaviour.serve(ReuseTests.photo(("Cache-Control", "max-age=3600")))
      #expect(try await ReuseTests.uses(enricher, site.server.url(behaviour), count: 3).first == "miss")
      let other = Behaviour.serve(ReuseTests.photo(("Cache-Control", "max-age=3601")))
      try await ReuseTests.expect(["miss"], enricher, site.server.url(other))
      #expect(site.requests(behaviour) == 1)
      #expect(told.all.count == 1)
      #expect(
        told.all.first?.hasPrefix("media that could be reused are fetched again: opening the cache ") == true)
    }
  }

  @Test("a cache file that other users could have changed is not used, and stays as it is")
  func foreignFile() async throws {
    try await ReuseTests.withSite { site in
      let cache = site.store.path(of: CacheFile.name)
      let other = try site.store.write(Array("mine".utf8), to: "other", mode: 0o600)
      let url = site.server.url(.serve(ReuseTests.photo(("Cache-Control", "max-age=3600"))))
      for (make, says) in [
        ({ unsafe link(other, cache) }, "is a file with 2 names"),
        ({ unsafe symlink(other, cache) }, "opening the cache"),
        (
          { unsafe chmod(try site.store.write([], to: CacheFile.name), 0o620) },
          "others may write to the cache"
        ),
        ({ unsafe rename(other, cache) }, "is not a cache of push-enricher and stays as it is"),
      ] as [(() throws -> Int32, String)] {
        #expect(try make() == 0)
        let told = Sentences()
        let enricher = try site.enricher { $0.warn = { told.add($0) } }
        try await ReuseTests.expect(["miss"], enricher, url)
        #expect(told.all.count == 1)
        #expect(told.all.first?.contains(says) == true, "\(told.all)")
        #expect(try Files.read(Files.exists(other) ? other : cache) == Array("mine".utf8))
        Files.remove(cache)
      }
    }
  }

  @Test("a named cache file that is something else is an error of the settings, and stays as it is")
  func otherFile() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write(Array("mine".utf8), to: "notes")
      var settings = EnrichmentSettings()
      settings.store = folder.path
      settings.cacheFile = path
      settings.cacheBytes = 65_536
      #expect(throws: SetupError.cacheFile(.notACache(path: path))) { try Enricher(settings: settings) }
      #expect(try Files.read(path) == Array("mine".utf8))
      settings.cacheBytes = 0
      #expect(try Enricher(settings: settings).cacheCounts == nil)
    }
  }
}

/// Collects the warnings.
private final class Sentences: Sendable {
  private let sentences = Mutex<[String]>([])

  var all: [String] { sentences.withLock { $0 } }

  func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
}
