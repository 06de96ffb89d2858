@testable import Caching
@testable import Enriching
import Fetching
import Misbehaving
import Sniffing
import TestSupport
import Testing

/// Entries of the cache that were written under older rules.
@Suite("The version of the rules", .timeLimit(.minutes(5)))
struct RulesVersionTests {
  @Test("a file that older rules have accepted is fetched again", arguments: [true, false])
  func older(isDurable: Bool) async throws {
    try await ReuseTests.withSite { site in
      let behaviour = Behaviour.serve(ReuseTests.photo(("Cache-Control", "max-age=3600")))
      let url = site.server.url(behaviour)
      var settings = EnrichmentSettings()
      let enricher = try site.enricher {
        $0.isDurable = isDurable
        settings = $0
      }
      try await ReuseTests.expect(["miss", "hit"], enricher, url, count: 2)

      let digest = try #require(URLDigest(url))
      let table = try CacheTable(path: site.store.path(of: CacheFile.name), bytes: settings.cacheBytes)
      let entry = try #require(try table.find(digest))
      let older = settings.fetching.policyFingerprint(sniffing: Sniffer.version - 1)
      let policy = isDurable ? older : ~older
      #expect(entry.policy != policy)
      try table.put(
        CacheEntry(url: digest, source: entry.source, policy: policy, file: entry.file, reuse: entry.reuse),
        at: entry.reuse.received)
      try await site.expect(["miss", "hit"], url, count: 2) { $0.isDurable = isDurable }
      #expect(site.requests(behaviour) == 2)
    }
  }

  @Test(
    "a file that was fetched with another User-Agent is fetched again if the server may send another one",
    arguments: [("accept, User-Agent", 3), ("Accept", 1)])
  func userAgent(field: String, requests: Int) async throws {
    try await ReuseTests.withSite { site in
      let behaviour = Behaviour.serve(ReuseTests.photo(("Cache-Control", "max-age=3600"), ("Vary", field)))
      let url = site.server.url(behaviour)
      let other = requests > 1 ? "miss" : "hit"
      try await site.expect(["miss", "hit"], url, count: 2)
      try await site.expect(["hit"], url)
      try await site.expect([other, "hit"], url, count: 2) { $0.fetching.userAgent = "acme-push/1" }
      try await site.expect([other, "hit"], url, count: 2)
      #expect(site.requests(behaviour) == requests)
    }
  }
}
