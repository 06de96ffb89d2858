import Misbehaving
import Notifications
import Supporting
import TestSupport
import Testing

@testable import Fetching

/// Tests the address rules with the whole program, in an environment that tries to change them.
@Suite("Whatever the environment says", .timeLimit(.minutes(5)))
struct HostileEnvironmentTests {
  private static func withHostileEnvironment(
    authority: String? = nil,
    _ body: (HostileEnvironment, TemporaryDirectory) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { proxy in
        try await body(try HostileEnvironment(in: folder, proxy: proxy, authority: authority), folder)
        #expect(proxy.connections == 0)
      }
    }
  }

  /// Enriches one payload with media at these URLs, allowed only what `options` say.
  /// - Returns: the reason why each medium failed.
  private static func reasons(
    _ urls: [String], _ options: [String], _ environment: HostileEnvironment
  ) async throws -> [String] {
    let quoted = urls.map { $0.replacing("\\", with: "\\\\") }
    let media = quoted.map { #"{"url":"\#($0)"}"# }.joined(separator: ",")
    let enriched = try await enrich(
      Push.with(#""media":[\#(media)]"#), ["--allow-http"] + options, environment: environment.variables)
    #expect(enriched.outcome == "unmodified", "\(enriched.line)")
    #expect(enriched.media.count == urls.count)
    return enriched.media.map { $0["reason"]?.string ?? "none" }
  }

  /// Batches of a little less than the number of media that a payload may name.
  private static func batches<Element>(_ all: [Element]) -> [ArraySlice<Element>] {
    stride(from: 0, to: all.count, by: 20).map { all[$0..<min($0 + 20, all.count)] }
  }

  private static func expected(_ spelling: LoopbackSpelling) -> String {
    spelling.fate == .invalid ? "url-invalid" : "address-blocked"
  }

  @Test("no odd spelling of a host reaches a blocked address") func spellings() async throws {
    try await Self.withHostileEnvironment { environment, _ in
      try await withHostileServer(on: "0.0.0.0") { server in
        try await withNameServer { names in
          for batch in Self.batches(LoopbackSpelling.all) {
            let reasons = try await Self.reasons(
              batch.map { server.url(.silent, host: $0.host) },
              ["--allow-port", "\(server.port)", "--name-servers", names.address], environment)
            #expect(reasons == batch.map(Self.expected), "\(batch)")
          }
          #expect(server.connections == 0)
        }
      }
    }
  }

  @Test("no redirect to an odd spelling of a host reaches a blocked address") func redirects() async throws {
    try await Self.withHostileEnvironment { environment, _ in
      try await withHostileServer { target in
        try await withHostileServer(on: "127.0.0.2") { server in
          try await withNameServer { names in
            for batch in Self.batches(LoopbackSpelling.all) {
              let reasons = try await Self.reasons(
                batch.map { server.url(.redirect(to: target.url(.silent, host: $0.host))) },
                [
                  "--allow-network", "127.0.0.2", "--allow-port", "\(server.port)", "--allow-port",
                  "\(target.port)", "--name-servers", names.address,
                ], environment)
              #expect(reasons == batch.map(Self.expected), "\(batch)")
            }
            #expect(target.connections == 0)
          }
        }
      }
    }
  }

  @Test("no address in a range that is not public is connected to") func ranges() async throws {
    try await Self.withHostileEnvironment { environment, _ in
      try await withHostileServer(on: "0.0.0.0") { server in
        let edges = SpecialRange.table.map(\.range).flatMap { range -> [IPAddress] in
          let bits = (range.base.family == .v4 ? 32 : 128) - range.prefixLength
          let last = range.base.value | ((UInt128(1) << UInt128(bits)) - 1)
          return [range.base, IPAddress(family: range.base.family, value: last)]
        }
        // A URL that is named twice is fetched once.
        var seen: Set<IPAddress> = []
        for batch in Self.batches(edges.filter({ seen.insert($0).inserted })) {
          let hosts = batch.map { $0.family == .v4 ? "\($0)" : "[\($0)]" }
          let reasons = try await Self.reasons(
            hosts.map { server.url(.silent, host: $0) }, ["--allow-port", "\(server.port)"], environment)
          #expect(reasons == batch.map { _ in "address-blocked" }, "\(hosts)")
        }
        #expect(server.connections == 0)
      }
    }
  }

  @Test("names are resolved by the configured name server only, and no other names are looked up")
  func names() async throws {
    try await Self.withHostileEnvironment { environment, _ in
      try await withHostileServer { server in
        let answers = ["inside", "short.inside", "short.inside.example", "inside.example"].map {
          ($0, NameAnswer.addresses(["127.0.0.1"]))
        }
        try await withNameServer(Dictionary(uniqueKeysWithValues: answers)) { names in
          let hosts = ["short", "hosts.example"]
          let reasons = try await Self.reasons(
            hosts.map { server.url(.silent, host: $0) },
            [
              "--allow-network", "127.0.0.0/8", "--allow-port", "\(server.port)", "--name-servers",
              names.address,
            ], environment)
          #expect(reasons == ["dns-failed", "dns-failed"])
          #expect(names.queries == hosts.reduce(0) { $0 + names.queries(for: $1) })
          #expect(server.connections == 0)
        }
      }
    }
  }

  @Test("no additional authority is trusted, and no TLS key is written down") func trust() async throws {
    try await withNginx(serving: Fixtures.media) { nginx in
      try await Self.withHostileEnvironment(authority: nginx.caFile) { environment, folder in
        let payload = Push.naming("\(nginx.httpsOrigin)/photo.jpg")
        let options = reaching(nginx.httpsPort)
        let refused = try await enrich(payload, options, environment: environment.variables)
        #expect(refused.reason == "tls-failed", "\(refused.line)")
        let enriched = try await enrich(
          payload, options + ["--ca-file", nginx.caFile], environment: environment.variables)
        #expect(enriched.outcome == "enriched", "\(enriched.line)")
        #expect(Files.names(in: folder.path) == [".curlrc", ".netrc", "aliases", "hosts"])
      }
    }
  }

  @Test("no password is sent") func passwords() async throws {
    try await Self.withHostileEnvironment { environment, _ in
      try await withHostileServer { server in
        let enriched = try await enrich(
          Push.naming(server.url(.serve(.photo))), reaching(server.port), environment: environment.variables)
        #expect(enriched.outcome == "enriched", "\(enriched.line)")
        let requests = server.requests(for: .serve(.photo)).map { $0.fields.map(\.name) }
        #expect(requests == [["Host", "User-Agent", "Accept", "Accept-Encoding"]])
      }
    }
  }
}
