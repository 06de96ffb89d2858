import class Caching.CacheFile
@testable import Enriching
import Fetching
import Glibc
import Misbehaving
import Notifications
import Sniffing
import TestSupport
import Testing

/// One download for many payloads, from a real server that counts its requests.
@Suite("Reuse", .timeLimit(.minutes(5)))
struct ReuseTests {
  static let photo = Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg")
  static let animation = Response(.file("\(Fixtures.media)/animation.gif"), as: "image/gif")

  static func photo(_ fields: (String, String)...) -> Response {
    var response = photo
    response.fields = fields.map { Response.Field($0.0, $0.1) }
    return response
  }

  /// A media server, and a store that several enrichers use in turn, as after a restart.
  struct Site: Sendable {
    let store: TemporaryDirectory
    let server: HostileServer

    func enricher(_ change: (inout EnrichmentSettings) -> Void = { _ in }) throws -> Enricher {
      var settings = try EnrichmentSettings.reaching(server.port, store: store)
      settings.cacheBytes = 1_048_576
      change(&settings)
      return try Enricher(settings: settings)
    }

    /// Expects the same of a new enricher.
    func expect(
      _ uses: [String], _ url: String, count: Int = 1,
      _ change: (inout EnrichmentSettings) -> Void = { _ in },
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let enricher = try enricher(change)
      try await ReuseTests.expect(uses, enricher, url, count: count, sourceLocation: sourceLocation)
    }

    func requests(_ behaviour: Behaviour) -> Int { server.tally(of: behaviour).requests }
  }

  static func withSite(_ body: (Site) async throws -> Void) async throws {
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in try await body(Site(store: store, server: server)) }
    }
  }

  /// Enriches `count` payloads in turn.
  /// - Returns: for each payload where its medium came from, or the reason of its failure.
  static func uses(_ enricher: Enricher, _ url: String, count: Int = 1) async throws -> [String] {
    var uses: [String] = []
    for _ in 0..<count {
      let enrichment = await enricher.enrich(try payload(naming: url))
      uses.append(
        enrichment.outcome.failure?.reason.rawValue ?? enrichment.report.media.first?.cacheUse?.rawValue
          ?? "?")
    }
    return uses
  }

  static func expect(
    _ expected: [String], _ enricher: Enricher, _ url: String, count: Int = 1,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let uses = try await uses(enricher, url, count: count)
    #expect(uses == expected, sourceLocation: sourceLocation)
  }

  @Test("many payloads with the same URL at once cost one transfer") func once() async throws {
    try await Self.withSite { site in
      let enricher = try site.enricher()
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      let payload = try payload(naming: site.server.url(behaviour))
      let outcomes = await withTaskGroup(of: Outcome.self) { group in
        for _ in 0..<300 { group.addTask { await enricher.enrich(payload).outcome } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(site.requests(behaviour) == 1)
      #expect(Set(outcomes.map { String(decoding: $0.bytes, as: UTF8.self) }).count == 1)
      #expect(outcomes.allSatisfy { $0.failure == nil })
      let counts = try #require(enricher.cacheCounts)
      #expect(counts[.miss] == 1)
      #expect(counts[.hit, default: 0] + counts[.shared, default: 0] == 299)
      #expect(counts[.revalidated] == nil)
    }
  }

  @Test("without a cache, each payload has its own transfer") func off() async throws {
    try await Self.withSite { site in
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      for bytes in [EnrichmentSettings().cacheBytes, 0] {
        let enricher = try site.enricher { $0.cacheBytes = bytes }
        try await Self.expect(["?", "?"], enricher, site.server.url(behaviour), count: 2)
        #expect(enricher.cacheCounts == nil)
      }
      #expect(site.requests(behaviour) == 4)
      #expect(site.store.names.count == 1)
    }
  }

  @Test("a file is reused after a restart, and its URL is not in the cache's file") func restart()
    async throws
  {
    try await Self.withSite { site in
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      let url = site.server.url(behaviour) + "?token=secret-of-mine"
      try await site.expect(["miss", "hit"], url, count: 2)
      try await site.expect(["hit", "hit"], url + "#fragment", count: 2)
      #expect(site.requests(behaviour) == 1)
      let file = try Files.read(site.store.path(of: CacheFile.name))
      #expect(file.contains(Array("photo".utf8)) == false)
      #expect(file.contains(Array("secret-of-mine".utf8)) == false)
      try await site.expect(["miss"], url + "2")
    }
  }

  @Test("if the server demands it, it is asked whether the file has changed") func revalidated() async throws
  {
    try await Self.withSite { site in
      let behaviour = Behaviour.revalidating(Self.photo(("Cache-Control", "no-cache")), tag: #""v1""#)
      let url = site.server.url(behaviour)
      try await site.expect(["miss", "revalidated", "revalidated"], url, count: 3)
      let enricher = try site.enricher()
      try await Self.expect(["revalidated"], enricher, url)
      #expect(enricher.cacheCounts == [.revalidated: 1])
      #expect(
        site.server.requests(for: behaviour).map { $0.value(of: "If-None-Match") } == [
          nil, #""v1""#, #""v1""#, #""v1""#,
        ])
      #expect(site.server.tally(of: behaviour).bytesSent < 2 * 7_333)
    }
  }

  @Test("a file that has changed is fetched again") func changed() async throws {
    try await Self.withSite { site in
      let old = Behaviour.revalidating(Self.photo(("Cache-Control", "no-cache")), tag: #""v1""#)
      let new = Behaviour.revalidating(Self.animation, tag: #""v2""#)
      let behaviour = Behaviour.failing(first: 2, by: old, then: new)
      let enricher = try site.enricher()
      let payload = try payload(naming: site.server.url(behaviour))
      var types: [String?] = []
      for _ in 0..<3 {
        types.append(await enricher.enrich(payload).report.media.first?.format?.uniformTypeIdentifier)
      }
      #expect(types == ["public.jpeg", "public.jpeg", "com.compuserve.gif"])
      #expect(enricher.cacheCounts == [.revalidated: 1, .miss: 2])
    }
  }

  @Test("a 304 for another version than the cached one does not count") func otherVersion()
    async throws
  {
    try await Self.withSite { site in
      let first = Behaviour.revalidating(Self.photo(("Cache-Control", "no-cache")), tag: #""v1""#)
      let lie = Behaviour.serve(Response(status: 304, fields: [Response.Field("ETag", #""v9""#)]))
      let behaviour = Behaviour.failing(first: 1, by: first, then: .failing(first: 2, by: lie, then: first))
      let url = site.server.url(behaviour)
      try await site.expect(["miss", "miss"], url, count: 2)
      #expect(
        site.server.requests(for: behaviour).map { $0.value(of: "If-None-Match") } == [nil, #""v1""#, nil])
    }
  }

  @Test(
    "a response that may not be shared is fetched for each payload",
    arguments: [("Cache-Control", "no-store"), ("Cache-Control", "private, max-age=60"), ("Vary", "*")])
  func forbidden(field: (String, String)) async throws {
    try await Self.withSite { site in
      let behaviour = Behaviour.serve(Self.photo(field))
      let enricher = try site.enricher()
      try await Self.expect(["miss", "miss", "miss"], enricher, site.server.url(behaviour), count: 3)
      try await site.expect(["miss"], site.server.url(behaviour))
      #expect(site.requests(behaviour) == 4)
      #expect(site.server.requests(for: behaviour).allSatisfy { $0.value(of: "If-None-Match") == nil })
    }
  }

  @Test("a failure is not reused for later payloads") func failures() async throws {
    try await Self.withSite { site in
      let photo = Behaviour.serve(Self.photo(("Cache-Control", "max-age=60")))
      let behaviour = Behaviour.failing(first: 1, by: .serve(.notFoundPage), then: photo)
      try await site.expect(
        [
          "http-status", "miss", "hit",
        ], site.server.url(behaviour), count: 3)
    }
  }

  @Test("if the file is gone, it is fetched again, without asking whether it has changed") func gone()
    async throws
  {
    try await Self.withSite { site in
      let behaviour = Behaviour.revalidating(Self.photo(("Cache-Control", "max-age=3600")), tag: #""v1""#)
      let url = site.server.url(behaviour)
      try await site.expect(["miss"], url)
      let name = try #require(site.store.names.last { $0.hasSuffix(".jpg") })
      Files.remove(site.store.path(of: name))
      try await site.expect(["miss"], url)
      #expect(Files.exists(site.store.path(of: name)))
      // Another file of that name does not count as the cached one.
      try Files.write([1, 2, 3], to: site.store.path(of: name))
      try await site.expect(["miss"], url)
      #expect(try Files.size(of: site.store.path(of: name)) == 7_333)
      #expect(site.server.requests(for: behaviour).allSatisfy { $0.value(of: "If-None-Match") == nil })
    }
  }

  @Test("a file that the current settings would refuse does not come from the cache") func settings()
    async throws
  {
    try await Self.withSite { site in
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      let url = site.server.url(behaviour)
      try await site.expect(["miss"], url)
      try await site.expect(["body-too-large"], url, { $0.limits.image = 7_332 })
      try await site.expect(["scheme-not-allowed"], url, { $0.fetching.allowsHTTP = false })
      try await site.expect(["port-not-allowed"], url, { $0.fetching.allowedPorts = [] })
      try await site.expect(
        [
          "address-blocked"
        ], url, { $0.fetching.addresses = AddressPolicy() })
      try await site.expect(
        ["address-blocked"], url,
        {
          let policy = $0.fetching.addresses
          $0.fetching.addresses = AddressPolicy(allowing: policy.allowed, denying: policy.allowed)
        })
      #expect(site.requests(behaviour) == 2)
      // A redirect from https to http may have led to the cached file.
      try await site.expect(["miss"], url, { $0.fetching.allowsDowngrade = true })
      try await site.expect(["miss"], url)
      #expect(site.requests(behaviour) == 4)
    }
  }

  @Test("redirects that may change are followed again, without another download of their file")
  func redirects() async throws {
    try await Self.withSite { site in
      let photo = Behaviour.revalidating(Self.photo(("Cache-Control", "max-age=3600")), tag: #""v1""#)
      let temporary = Behaviour.redirect(to: site.server.url(photo))
      try await site.expect(
        [
          "miss", "revalidated", "revalidated",
        ], site.server.url(temporary), count: 3)
      #expect(site.requests(temporary) == 3)
      #expect(site.server.requests(for: temporary).allSatisfy { $0.value(of: "If-None-Match") == nil })
      let permanent = Behaviour.redirect(to: site.server.url(photo), status: 301)
      try await site.expect(["miss"], site.server.url(permanent))
    }
  }

  @Test("nonsensical response headers cause another request, and no harm") func nonsense() async throws {
    try await Self.withSite { site in
      let response = Self.photo(
        ("Cache-Control", "max-age=-1"), ("Age", "-99999999999999999999999"), ("Expires", "\u{1}never"),
        ("Date", "Sun, 99 Foo 99999"), ("ETag", "no tag"), ("Last-Modified", "yesterday"), ("Vary", ",,,"))
      try await site.expect(
        [
          "miss", "miss",
        ], site.server.url(.serve(response)), count: 2)
      let long = Self.photo(
        ("Cache-Control", "max-age=60, " + String(repeating: "x", count: 2_000)), ("ETag", #""v1""#))
      try await site.expect(["miss", "miss"], site.server.url(.serve(long)), count: 2)
    }
  }

  @Test("an encrypted medium is fetched for each payload") func encrypted() async throws {
    try await Self.withSite { site in
      let keys = site.store.path(of: "keys.json")
      try Files.write(Files.read("\(Fixtures.root)/Fixtures/encrypted/keys.json"), to: keys)
      #expect(unsafe chmod(keys, 0o600) == 0)
      let file = try Sealed.medium(Sealed.gif, .aes128gcm, keyID: "dev-7f3a").file
      let behaviour = Behaviour.serve(
        Response(
          .bytes(file), as: "image/gif",
          fields: [
            Response.Field("Content-Encoding", "aes128gcm"), Response.Field("Cache-Control", "max-age=3600"),
          ]))
      let enricher = try site.enricher { $0.keys = .file(keys) }
      let uses = try await Self.uses(enricher, site.server.url(behaviour), count: 3)
      #expect(uses == ["miss", "miss", "miss"])
      #expect(site.requests(behaviour) == 3)
    }
  }
}
