import Fetching
import Misbehaving
import TestSupport
import Testing

/// Redirects are separate requests of ours, and each is checked against every rule again.
@Suite("Redirects", .timeLimit(.minutes(5)))
struct RedirectTests {
  private static let picture = Behaviour.serve(Response(.bytes([1, 2, 3]), as: "image/jpeg"))

  @Test("ten redirects are followed", arguments: [0, 1, 9, 10])
  func followed(hops: Int) async throws {
    try await withHostileServer { server in
      let chain = Behaviour.redirectChain(hops: hops, then: Self.picture)
      let fetch = try await server.fetch(server.url(chain))
      #expect(fetch.steps == Array(repeating: Step(302), count: hops) + [Step(200)])
      #expect(fetch.body == [1, 2, 3])
      #expect(fetch.begun == 1)
      #expect(server.tally(of: chain).requests == hops + 1)
      // Without bodies, all hops use the same connection.
      #expect(server.tally(of: chain).connections == 1)
    }
  }

  @Test(
    "an eleventh redirect is not followed",
    arguments: [Behaviour.redirectChain(hops: 11, then: .silent), .redirectLoop, .redirectForever])
  func tooMany(behaviour: Behaviour) async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(server.url(behaviour))
      #expect(fetch.failure == .redirectLimit(maximum: 10))
      #expect(fetch.steps == Array(repeating: Step(302), count: 11))
      #expect(server.tally(of: behaviour).requests == 11)
    }
  }

  @Test("a redirect is followed without waiting for its body")
  func stalledBody() async throws {
    try await withHostileServer { server in
      let location = Response.Field("Location", server.url(Self.picture))
      let stalled = Response(.bytes([1, 2]), as: "text/html", status: 302, fields: [location])
      let fetch = try await server.fetch(server.url(.silentAfterHeaders(stalled)))
      #expect(fetch.steps == [Step(302), Step(200)])
      #expect(fetch.body == [1, 2, 3])
    }
  }

  @Test("every redirect status is followed, with GET", arguments: [301, 302, 303, 307, 308])
  func statuses(status: Int) async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(
        server.url(.redirect(to: server.url(Self.picture), status: status)))
      #expect(fetch.steps == [Step(status), Step(200)])
      #expect(server.requests(for: Self.picture).map(\.method) == ["GET"])
    }
  }

  /// RFC 3986 section 5.2. `R` is replaced by the route of the picture.
  @Test(
    "a relative location is resolved against the requested URL",
    arguments: ["/R/a", "../R/a", "//H/R/a", "/R/a#part"])
  func relative(location: String) async throws {
    try await withHostileServer { server in
      let url = server.url(Self.picture)
      let route = url.split(separator: "/")[2]
      let location = location.replacing("R", with: route).replacing("H", with: "127.0.0.1:\(server.port)")
      let fetch = try await server.fetch(server.url(.redirect(to: location)))
      #expect(fetch.steps == [Step(302), Step(200)])
      #expect(server.requests(for: Self.picture).map(\.target) == ["/\(route)/a"])
    }
  }

  /// Targets that a redirect must not lead to. `PORT` belongs to a server that is not allowed.
  static let targets: [(String, FetchError)] = [
    ("ftp://127.0.0.1/x", .schemeNotAllowed("ftp")),
    ("file:///etc/passwd", .schemeNotAllowed("file")),
    ("gopher://127.0.0.1:PORT/_x", .schemeNotAllowed("gopher")),
    ("http://user:word@127.0.0.1:PORT/x", .urlInvalid(detail: "")),
    ("http://[::1%25lo]:PORT/x", .urlInvalid(detail: "")),
    ("http://127.0.0.1:99999/", .urlInvalid(detail: "")),
    ("http://", .urlInvalid(detail: "")),
    ("http://127.0.0.1:\u{1}80/", .urlInvalid(detail: "")),
  ]

  @Test("a redirect is not followed to a URL that is not allowed", arguments: targets)
  func refused(location: String, error: FetchError) async throws {
    try await withHostileServer { server in
      try await withHostileServer { other in
        let location = location.replacing("PORT", with: "\(other.port)")
        let fetch = try await server.fetch(server.url(.redirect(to: location)))
        #expect(fetch.failure == error)
        // The second step is the target that was refused.
        #expect(fetch.steps == [Step(302), Step(nil, error: error)])
        #expect(server.connections == 1)
        #expect(other.connections == 0)
      }
    }
  }

  /// Anybody on the network path could read and change a response over http.
  @Test(
    "a redirect from https to http is not followed, whatever came before, unless that is allowed",
    arguments: 0...2)
  func downgrade(hops: Int) async throws {
    try await withTLS(speaking: .http1) { tls, caFile in
      try await withHostileServer(tls: tls) { secure in
        try await withHostileServer { plain in
          let last = Behaviour.redirect(to: plain.url(Self.picture))
          // The chains are https; http, https; https, http, https.
          var url = secure.url(last)
          if hops > 0 { url = plain.url(.redirect(to: url)) }
          if hops > 1 { url = secure.url(.redirect(to: url)) }
          func fetch(allowed: Bool) async throws -> Fetch {
            let fetcher = try secure.fetcher {
              $0.certificateFile = caFile
              $0.allowedPorts.insert(plain.port)
              $0.allowsDowngrade = allowed
            }
            return await fetcher.get(url)
          }
          let refused = try await fetch(allowed: false)
          #expect(refused.failure == .downgradeNotAllowed)
          let followed = Array(repeating: Step(302), count: hops == 1 ? 2 : 1)
          #expect(refused.steps == followed + [Step(nil, error: .downgradeNotAllowed)])
          #expect(plain.tally(of: Self.picture).requests == 0)
          #expect("\(FetchError.downgradeNotAllowed)".contains("--allow-downgrade"))

          let allowed = try await fetch(allowed: true)
          #expect(allowed.steps == Array(repeating: Step(302), count: hops + 1) + [Step(200)])
          #expect(allowed.body == [1, 2, 3])
        }
      }
    }
  }

  @Test("a redirect from https to http has the same reason if http is not allowed at all")
  func downgradeWithoutHTTP() async throws {
    try await withTLS(speaking: .http1) { tls, caFile in
      try await withHostileServer(tls: tls) { secure in
        let fetcher = try secure.fetcher {
          $0.certificateFile = caFile
          $0.allowsHTTP = false
          $0.allowsDowngrade = true
        }
        let fetch = await fetcher.get(secure.url(.redirect(to: "http://127.0.0.1/x")))
        #expect(fetch.failure == .schemeNotAllowed("http"))
      }
    }
  }

  @Test("a redirect to a port that is not allowed is not followed")
  func port() async throws {
    try await withHostileServer { server in
      try await withHostileServer { other in
        let fetch = try await server.fetch(server.url(.redirect(to: other.url(.silent))))
        #expect(fetch.failure == .portNotAllowed(other.port))
        #expect(fetch.steps == [Step(302), Step(nil, error: .portNotAllowed(other.port))])
        #expect(other.connections == 0)
      }
    }
  }

  @Test(
    "a redirect to an address that is not allowed is not followed, however it is spelled",
    arguments: ["127.0.0.2", "0x7f.2", "2130706434", "[::ffff:127.0.0.2]"])
  func address(host: String) async throws {
    try await withHostileServer { server in
      try await withHostileServer(on: "127.0.0.2") { other in
        let fetcher = try server.fetcher { $0.allowedPorts.insert(other.port) }
        let location = other.url(.silent, host: host)
        let fetch = await fetcher.get(server.url(.redirect(to: location)))
        let address = host.hasPrefix("[") ? "::ffff:127.0.0.2" : "127.0.0.2"
        let blocked = FetchError.addressBlocked(address: address, purpose: "loopback")
        #expect(fetch.failure == blocked)
        #expect(fetch.steps == [Step(302), Step(nil, error: blocked)])
        #expect(other.connections == 0)
      }
    }
  }

  /// A payload keeps its journal until it is published, with up to 24 media of such redirects.
  @Test("the journal has the start of a long URL, and the whole URL is fetched")
  func longURL() async throws {
    try await withHostileServer { server in
      let long = server.url(Self.picture) + "?" + String(repeating: "a", count: 7_000)
      let first = server.url(.redirect(to: long))
      let sink = Sink()
      let fetched = try await server.fetcher().fetch(
        RemoteURL(first), until: .now + .seconds(30), into: sink, journal: sink.journal)
      #expect(sink.journal.snapshot.hops.map(\.url) == [first, String(long.prefix(300)) + "…"])
      #expect(fetched.source.text == long)
      #expect(fetched.answers.map(\.status) == [302, 200])
      let origin = "http://127.0.0.1:\(server.port)"
      #expect(server.requests(for: Self.picture).map { origin + $0.target } == [long])
    }
  }

  @Test("a journal without paths has only the origins, even of a refused URL")
  func withoutPaths() async throws {
    try await withHostileServer { server in
      let refused = "http://127.0.0.1:1/secret"
      let sink = Sink(recordsPaths: false)
      await #expect(throws: FetchError.portNotAllowed(1)) {
        try await server.fetcher().fetch(
          RemoteURL(server.url(.redirect(to: server.url(.redirect(to: refused))))),
          until: .now + .seconds(30), into: sink, journal: sink.journal)
      }
      let origin = "http://127.0.0.1:\(server.port)"
      #expect(sink.journal.snapshot.hops.map(\.url) == [origin, origin, "http://127.0.0.1:1"])
    }
  }

  @Test("a journal keeps the beginning of a location that is no URL", arguments: [(true, 200), (false, 15)])
  func nonsense(recordsPaths: Bool, count: Int) async throws {
    try await withHostileServer { server in
      let nonsense = "http://a b/" + String(repeating: "x", count: 1_000)
      let sink = Sink(recordsPaths: recordsPaths)
      await #expect(throws: FetchError.self) {
        try await server.fetcher().fetch(
          RemoteURL(server.url(.redirect(to: nonsense))), until: .now + .seconds(30), into: sink,
          journal: sink.journal)
      }
      #expect(sink.journal.snapshot.hops.map(\.url).last == String(nonsense.prefix(count)))
    }
  }

  @Test("cookies are not sent to the target of a redirect")
  func cookies() async throws {
    try await withHostileServer { server in
      let url = server.url(Self.picture)
      let behaviour = Behaviour.serve(
        Response(
          status: 302,
          fields: [
            .init("Location", url), .init("Set-Cookie", "session=1; Path=/"),
            .init("Refresh", "0; url=\(url)"),
          ]))
      let fetch = try await server.fetch(server.url(behaviour))
      #expect(fetch.status == 200)
      #expect(
        server.requests(for: Self.picture).map { $0.fields.map(\.name) } == [
          ["Host", "User-Agent", "Accept", "Accept-Encoding"]
        ])
    }
  }
}
