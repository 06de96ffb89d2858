@testable import Enriching
import Fetching
import Glibc
import Misbehaving
import Notifications
import Sniffing
import Synchronization
import TestSupport
import Testing

/// One download for many payloads, with a real server that counts its requests.
@Suite("Reuse", .timeLimit(.minutes(3)))
struct ReuseTests {
  static let photo = Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg")
  static let animation = Response(.file("\(Fixtures.media)/animation.gif"), as: "image/gif")

  static func photo(_ fields: (String, String)...) -> Response {
    var response = photo
    response.fields = fields.map { Response.Field($0.0, $0.1) }
    return response
  }

  /// A store that several enrichers have, one after the other, as after a restart.
  struct Place: Sendable {
    let store: TemporaryDirectory
    let server: HostileServer

    func enricher(_ change: (inout EnrichmentSettings) -> Void = { _ in }) throws -> Enricher {
      var settings = try EnrichmentSettings.reaching(server.port, store: store)
      settings.cacheBytes = 1_048_576
      change(&settings)
      return try Enricher(settings: settings)
    }

    /// The same with an enricher of its own.
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

  static func withPlace(_ body: (Place) async throws -> Void) async throws {
    try await withTemporaryDirectory { store in
      try await withHostileServer { server in try await body(Place(store: store, server: server)) }
    }
  }

  /// Enriches one after the other.
  /// - Returns: where each came from, or the reason why it did not.
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

  @Test("many payloads with one URL at once cost one transfer") func once() async throws {
    try await Self.withPlace { place in
      let enricher = try place.enricher()
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      let payload = try payload(naming: place.server.url(behaviour))
      let outcomes = await withTaskGroup(of: Outcome.self) { group in
        for _ in 0..<300 { group.addTask { await enricher.enrich(payload).outcome } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(place.requests(behaviour) == 1)
      #expect(Set(outcomes.map { String(decoding: $0.bytes, as: UTF8.self) }).count == 1)
      #expect(outcomes.allSatisfy { $0.failure == nil })
      let counts = try #require(enricher.cacheCounts)
      #expect(counts.misses == 1)
      #expect(counts.hits + counts.shared == 299)
      #expect(counts.revalidations == 0)
    }
  }

  @Test("without a cache, each payload has a transfer of its own") func off() async throws {
    try await Self.withPlace { place in
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      for bytes in [nil, 0] {
        let enricher = try place.enricher { $0.cacheBytes = bytes }
        try await Self.expect(["?", "?"], enricher, place.server.url(behaviour), count: 2)
        #expect(enricher.cacheCounts == nil)
      }
      #expect(place.requests(behaviour) == 4)
      #expect(place.store.names.count == 1)
    }
  }

  @Test("what was fetched is known after a restart, without the URL in the file") func restart() async throws
  {
    try await Self.withPlace { place in
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      let url = place.server.url(behaviour) + "?token=secret-of-mine"
      try await place.expect(["miss", "hit"], url, count: 2)
      try await place.expect(["hit", "hit"], url + "#fragment", count: 2)
      #expect(place.requests(behaviour) == 1)
      let file = try Files.read(place.store.path(of: CacheFile.name))
      #expect(file.contains(Array("photo".utf8)) == false)
      #expect(file.contains(Array("secret-of-mine".utf8)) == false)
      try await place.expect(["miss"], url + "2")
    }
  }

  @Test("the server is asked whether it has changed where it wants that") func revalidated() async throws {
    try await Self.withPlace { place in
      let behaviour = Behaviour.revalidating(Self.photo(("Cache-Control", "no-cache")), tag: #""v1""#)
      let url = place.server.url(behaviour)
      try await place.expect(["miss", "revalidated", "revalidated"], url, count: 3)
      let enricher = try place.enricher()
      try await Self.expect(["revalidated"], enricher, url)
      #expect(enricher.cacheCounts == CacheCounts(revalidations: 1))
      #expect(
        place.server.requests(for: behaviour).map { $0.value(of: "If-None-Match") } == [
          nil, #""v1""#, #""v1""#, #""v1""#,
        ])
      #expect(place.server.tally(of: behaviour).bytesSent < 2 * 7_333)
    }
  }

  @Test("what has changed is fetched anew") func changed() async throws {
    try await Self.withPlace { place in
      let old = Behaviour.revalidating(Self.photo(("Cache-Control", "no-cache")), tag: #""v1""#)
      let new = Behaviour.revalidating(Self.animation, tag: #""v2""#)
      let behaviour = Behaviour.failing(first: 2, by: old, then: new)
      let enricher = try place.enricher()
      let payload = try payload(naming: place.server.url(behaviour))
      var types: [String?] = []
      for _ in 0..<3 {
        types.append(await enricher.enrich(payload).report.media.first?.format?.uniformTypeIdentifier)
      }
      #expect(types == ["public.jpeg", "public.jpeg", "com.compuserve.gif"])
      #expect(enricher.cacheCounts == CacheCounts(revalidations: 1, misses: 2))
    }
  }

  @Test("a 304 about another version than the one that is here does not count") func otherVersion()
    async throws
  {
    try await Self.withPlace { place in
      let first = Behaviour.revalidating(Self.photo(("Cache-Control", "no-cache")), tag: #""v1""#)
      let lie = Behaviour.serve(Response(status: 304, fields: [Response.Field("ETag", #""v9""#)]))
      let behaviour = Behaviour.failing(first: 1, by: first, then: .failing(first: 2, by: lie, then: first))
      let url = place.server.url(behaviour)
      try await place.expect(["miss", "miss"], url, count: 2)
      #expect(
        place.server.requests(for: behaviour).map { $0.value(of: "If-None-Match") } == [nil, #""v1""#, nil])
    }
  }

  @Test(
    "what may not be kept for others is fetched for each",
    arguments: [("Cache-Control", "no-store"), ("Cache-Control", "private, max-age=60"), ("Vary", "*")])
  func forbidden(field: (String, String)) async throws {
    try await Self.withPlace { place in
      let behaviour = Behaviour.serve(Self.photo(field))
      let enricher = try place.enricher()
      try await Self.expect(["miss", "miss", "miss"], enricher, place.server.url(behaviour), count: 3)
      try await place.expect(["miss"], place.server.url(behaviour))
      #expect(place.requests(behaviour) == 4)
      #expect(place.server.requests(for: behaviour).allSatisfy { $0.value(of: "If-None-Match") == nil })
    }
  }

  @Test("a failure is nobody's later") func failures() async throws {
    try await Self.withPlace { place in
      let photo = Behaviour.serve(Self.photo(("Cache-Control", "max-age=60")))
      let behaviour = Behaviour.failing(first: 1, by: .serve(.notFoundPage), then: photo)
      try await place.expect(
        [
          "http-status", "miss", "hit",
        ], place.server.url(behaviour), count: 3)
    }
  }

  @Test("a file that is gone is fetched again, without asking whether it has changed") func gone()
    async throws
  {
    try await Self.withPlace { place in
      let behaviour = Behaviour.revalidating(Self.photo(("Cache-Control", "max-age=3600")), tag: #""v1""#)
      let url = place.server.url(behaviour)
      try await place.expect(["miss"], url)
      let name = try #require(place.store.names.last { $0.hasSuffix(".jpg") })
      Files.remove(place.store.path(of: name))
      try await place.expect(["miss"], url)
      #expect(Files.exists(place.store.path(of: name)))
      // Something else in its place is not it.
      try Files.write([1, 2, 3], to: place.store.path(of: name))
      try await place.expect(["miss"], url)
      #expect(try Files.size(of: place.store.path(of: name)) == 7_333)
      #expect(place.server.requests(for: behaviour).allSatisfy { $0.value(of: "If-None-Match") == nil })
    }
  }

  @Test("what today's settings would refuse does not come from the cache") func settings() async throws {
    try await Self.withPlace { place in
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      let url = place.server.url(behaviour)
      try await place.expect(["miss"], url)
      try await place.expect(["body-too-large"], url, { $0.limits.image = 7_332 })
      try await place.expect(["scheme-not-allowed"], url, { $0.fetching.allowsHTTP = false })
      try await place.expect(["port-not-allowed"], url, { $0.fetching.allowedPorts = [] })
      try await place.expect(
        [
          "address-blocked"
        ], url, { $0.fetching.addresses = AddressPolicy() })
      #expect(place.requests(behaviour) == 2)
    }
  }

  @Test("redirects are followed again where they may change, and their file is not fetched for that")
  func redirects() async throws {
    try await Self.withPlace { place in
      let photo = Behaviour.revalidating(Self.photo(("Cache-Control", "max-age=3600")), tag: #""v1""#)
      let temporary = Behaviour.redirect(to: place.server.url(photo))
      try await place.expect(
        [
          "miss", "revalidated", "revalidated",
        ], place.server.url(temporary), count: 3)
      #expect(place.requests(temporary) == 3)
      #expect(place.server.requests(for: temporary).allSatisfy { $0.value(of: "If-None-Match") == nil })
      let permanent = Behaviour.redirect(to: place.server.url(photo), status: 301)
      try await place.expect(["miss"], place.server.url(permanent))
    }
  }

  @Test("a server that writes nonsense is asked again, and harms nobody") func nonsense() async throws {
    try await Self.withPlace { place in
      let response = Self.photo(
        ("Cache-Control", "max-age=-1"), ("Age", "-99999999999999999999999"), ("Expires", "\u{1}never"),
        ("Date", "Sun, 99 Foo 99999"), ("ETag", "no tag"), ("Last-Modified", "yesterday"), ("Vary", ",,,"))
      try await place.expect(
        [
          "miss", "miss",
        ], place.server.url(.serve(response)), count: 2)
      let long = Self.photo(
        ("Cache-Control", "max-age=60, " + String(repeating: "x", count: 2_000)), ("ETag", #""v1""#))
      try await place.expect(["miss", "miss"], place.server.url(.serve(long)), count: 2)
    }
  }

  @Test("a cache that cannot be written costs no payload anything, and is told of once") func broken()
    async throws
  {
    try await Self.withPlace { place in
      #expect(unsafe mkdir(place.store.path(of: CacheFile.name), 0o755) == 0)
      let told = Sentences()
      let enricher = try place.enricher { $0.warn = { told.add($0) } }
      let behaviour = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3600")))
      #expect(try await Self.uses(enricher, place.server.url(behaviour), count: 3).first == "miss")
      let other = Behaviour.serve(Self.photo(("Cache-Control", "max-age=3601")))
      try await Self.expect(["miss"], enricher, place.server.url(other))
      #expect(place.requests(behaviour) == 1)
      #expect(told.all.count == 1)
      #expect(
        told.all.first?.hasPrefix("media are fetched again that could be reused: opening the cache ") == true)
    }
  }

  @Test("what is encrypted is fetched for each payload") func encrypted() async throws {
    try await Self.withPlace { place in
      let keys = place.store.path(of: "keys.json")
      try Files.write(Files.read("\(Fixtures.root)/Fixtures/encrypted/keys.json"), to: keys)
      #expect(unsafe chmod(keys, 0o600) == 0)
      let file = try Sealed.medium(Sealed.gif, .aes128gcm, keyID: "dev-7f3a").file
      let behaviour = Behaviour.serve(
        Response(
          .bytes(file), as: "image/gif",
          fields: [
            Response.Field("Content-Encoding", "aes128gcm"), Response.Field("Cache-Control", "max-age=3600"),
          ]))
      let enricher = try place.enricher { $0.keys = .file(keys) }
      let uses = try await Self.uses(enricher, place.server.url(behaviour), count: 3)
      #expect(uses == ["miss", "miss", "miss"])
      #expect(place.requests(behaviour) == 3)
    }
  }
}

/// What somebody was told.
private final class Sentences: Sendable {
  private let sentences = Mutex<[String]>([])

  var all: [String] { sentences.withLock { $0 } }

  func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
}
