import Fetching
import Misbehaving
import TestSupport
import Testing

/// Names are resolved through a server whose answers the test sets.
@Suite("Names", .timeLimit(.minutes(5)))
struct NameTests {
  private static let host = "media.example"
  private static let behaviour = Behaviour.serve(Response(.bytes([1, 2]), as: "image/png"))
  private static let mapped = "::ffff:127.0.0.1"

  private static func failed(isTransient: Bool) -> FetchError {
    .dnsFailed(host: host, detail: "", isTransient: isTransient)
  }

  /// Fetches from `media.example` while a name server gives this answer.
  private static func fetch(
    _ answer: NameAnswer, within limit: Duration = .seconds(120),
    _ check: (Fetch, HostileServer, NameServer) async throws -> Void
  ) async throws {
    try await withHostileServer { server in
      try await withNameServer([host: answer]) { names in
        let fetcher = try server.fetcher { $0.nameServers = names.address }
        try await check(await fetcher.get(server.url(behaviour, host: host), within: limit), server, names)
      }
    }
  }

  @Test(
    "answers with an address are used",
    arguments: [
      NameAnswer.addresses(["127.0.0.1"]), .addresses([], v6: [mapped]),
      .addresses(["127.0.0.1"], v6: [mapped]),
      .alias(of: "cdn.example", ["127.0.0.1"]), .late(.milliseconds(200), .addresses(["127.0.0.1"])),
      .addresses(["127.0.0.1"], ttl: 0),
    ])
  func addresses(answer: NameAnswer) async throws {
    try await Self.fetch(answer) { fetch, server, names in
      #expect(fetch.body == [1, 2])
      #expect(fetch.steps == [Step(200)])
      #expect(fetch.journal.hops.first?.timings.dns != nil)
      #expect(
        server.requests(for: Self.behaviour).map { $0.value(of: "Host") } == ["media.example:\(server.port)"])
      // More than one query only if the test machine was busy for seconds.
      #expect(names.queries(for: Self.host, .a) >= 1)
      #expect(names.queries(for: Self.host, .aaaa) >= 1)
      #expect(names.queries == names.queries(for: Self.host))
    }
  }

  @Test("an address that does not accept connections leaves time for the next one")
  func silentAddress() async throws {
    try await withHostileServer { server in
      let loopback = AddressPolicy(allowing: [try AddressRange("127.0.0.0/8")])
      let hole = try BlackHole("127.0.0.2", port: server.port)
      defer { hole.close() }
      let answer = NameAnswer.addresses(["127.0.0.2", "127.0.0.1"])
      try await withNameServer([Self.host: answer]) { names in
        let fetcher = try server.fetcher {
          $0.nameServers = names.address
          $0.addresses = loopback
        }
        // The first address gets half of it, and a busy machine may need seconds for the second one.
        let fetch = await fetcher.get(server.url(Self.behaviour, host: Self.host), within: .seconds(24))
        #expect(fetch.body == [1, 2], "\(fetch.result)")
        #expect(fetch.journal.hops.first?.address == "127.0.0.1:\(server.port)")
      }
    }
  }

  @Test(
    "a name is asked for in the same way whatever its case, and with or without its last dot",
    arguments: ["Media.EXAMPLE", "media.example."])
  func spellings(host: String) async throws {
    try await withHostileServer { server in
      try await withNameServer([Self.host: .addresses(["127.0.0.1"])]) { names in
        let fetcher = try server.fetcher { $0.nameServers = names.address }
        #expect(await fetcher.get(server.url(Self.behaviour, host: host)).body == [1, 2])
        #expect(names.queries == names.queries(for: Self.host))
      }
    }
  }

  @Test("an international name is asked for in ASCII")
  func international() async throws {
    try await withHostileServer { server in
      try await withNameServer(["xn--bcher-kva.example": .addresses(["127.0.0.1"])]) { names in
        let fetcher = try server.fetcher { $0.nameServers = names.address }
        #expect(await fetcher.get(server.url(Self.behaviour, host: "bücher.example")).body == [1, 2])
      }
    }
  }

  @Test(
    "a name that does not exist fails for good, and so does one without addresses",
    arguments: [
      (NameAnswer.nameError, "Domain name not found"),
      (NameAnswer.addresses([]), "DNS server returned answer with no data"),
    ])
  func none(answer: NameAnswer, detail: String) async throws {
    try await Self.fetch(answer) { fetch, server, names in
      let error = Self.failed(isTransient: false)
      #expect(fetch.failure == error)
      #expect(fetch.detail == detail)
      #expect(fetch.steps == [Step(nil, error: error)])
      #expect(names.queries == names.queries(for: Self.host))
      #expect(server.connections == 0)
    }
  }

  @Test(
    "a failure of the name server may be temporary",
    arguments: [
      NameAnswer.serverFailure, .refused, .truncated,
      .perFamily(v4: .cutShort(.addresses(["127.0.0.1"])), v6: .cutShort(.addresses([], v6: [mapped]))),
    ])
  func failing(answer: NameAnswer) async throws {
    try await Self.fetch(answer) { fetch, server, _ in
      let error = Self.failed(isTransient: true)
      #expect(fetch.failure == error)
      #expect(!fetch.detail.isEmpty)
      #expect(fetch.steps == (1...3).map { Step(nil, attempt: $0, error: error) })
      #expect(server.connections == 0)
    }
  }

  @Test("a long answer is fetched over TCP") func long() async throws {
    let hundred = [String](repeating: "127.0.0.1", count: 100)
    try await Self.fetch(.overTCP(.addresses(hundred))) { fetch, _, _ in #expect(fetch.steps == [Step(200)]) }
  }

  /// Such an answer could grow to megabytes.
  @Test("an answer of more than 4 KB is refused", arguments: [300, 4_000]) func tooLong(count: Int)
    async throws
  {
    let many = NameAnswer.overTCP(.addresses([String](repeating: "127.0.0.1", count: count)))
    try await Self.fetch(many) { fetch, server, _ in
      let error = Self.failed(isTransient: false)
      #expect(fetch.failure == error)
      #expect(fetch.detail == "the answer of a name server is longer than 4096 bytes")
      #expect(fetch.steps == [Step(nil, error: error)])
      #expect(server.connections == 0)
    }
  }

  @Test(
    "an answer that does not match the question is ignored",
    arguments: [NameAnswer.silence, .wrongIdentifier(.addresses(["127.0.0.1"]))])
  func silence(answer: NameAnswer) async throws {
    try await Self.fetch(answer, within: .seconds(3)) { fetch, server, names in
      #expect(fetch.failure == .cancelled)
      #expect(fetch.steps == [Step(nil, error: .cancelled)])
      #expect(fetch.journal.phase == .resolving)
      #expect(await eventually { names.queries(for: Self.host, .a) >= 1 })
      #expect(server.connections == 0)
    }
  }

  @Test(
    "an answer for one family is enough while the other family is silent or fails",
    arguments: [
      NameAnswer.perFamily(v4: .addresses(["127.0.0.1"]), v6: .silence),
      .perFamily(v4: .addresses(["127.0.0.1"]), v6: .serverFailure),
      .perFamily(v4: .nameError, v6: .addresses([], v6: [mapped])),
      .perFamily(v4: .silence, v6: .addresses([], v6: [mapped])),
    ])
  func half(answer: NameAnswer) async throws {
    try await Self.fetch(answer) { fetch, _, _ in #expect(fetch.steps == [Step(200)]) }
  }

  /// Nothing is known yet: the silent family may still have an address.
  @Test("an answer without addresses for one family is not enough")
  func halfNone() async throws {
    let answer = NameAnswer.perFamily(v4: .addresses([]), v6: .silence)
    try await Self.fetch(answer, within: .seconds(2)) { fetch, _, _ in
      #expect(fetch.failure == .cancelled)
      #expect(fetch.journal.phase == .resolving)
    }
  }

  @Test(
    "one forbidden address among good ones causes the host to be refused",
    arguments: [
      (["127.0.0.1", "127.0.0.2"], [], "127.0.0.2"), (["127.0.0.2", "127.0.0.1"], [], "127.0.0.2"),
      (["127.0.0.1"], ["::ffff:127.0.0.2"], "::ffff:127.0.0.2"), (["127.0.0.1"], ["::7f00:1"], "::127.0.0.1"),
    ])
  func mixed(v4: [String], v6: [String], address: String) async throws {
    try await Self.fetch(.addresses(v4, v6: v6)) { fetch, server, _ in
      guard case .addressBlocked(address, _) = fetch.failure else {
        Issue.record("\(fetch.result)")
        return
      }
      #expect(fetch.steps == [Step(nil, error: fetch.failure)])
      #expect(server.connections == 0)
    }
  }

  @Test("a name that moves to a forbidden address is not followed, with or without a kept connection")
  func rebinding() async throws {
    try await withHostileServer { server in
      try await withHostileServer(on: "127.0.0.2", port: server.port) { inside in
        try await withNameServer([Self.host: .addresses(["127.0.0.1"], ttl: 0)]) { names in
          let fetcher = try server.fetcher { $0.nameServers = names.address }
          let url = server.url(Self.behaviour, host: Self.host)
          #expect(await fetcher.get(url).status == 200)
          names.answer(Self.host, with: .addresses(["127.0.0.2"], ttl: 0))
          let blocked = FetchError.addressBlocked(address: "127.0.0.2", purpose: "loopback")
          #expect(await fetcher.get(url).failure == blocked)
          #expect(server.tally(of: Self.behaviour).requests == 1)
          #expect(inside.connections == 0)
        }
      }
    }
  }

  @Test("the addresses of a redirect's target are checked")
  func redirect() async throws {
    try await withHostileServer { server in
      try await withNameServer(["inside.example": .addresses(["127.0.0.2"])]) { names in
        let fetcher = try server.fetcher { $0.nameServers = names.address }
        let fetch = await fetcher.get(
          server.url(.redirect(to: server.url(Self.behaviour, host: "inside.example"))))
        let blocked = FetchError.addressBlocked(address: "127.0.0.2", purpose: "loopback")
        #expect(fetch.steps == [Step(302), Step(nil, error: blocked)])
        #expect(server.connections == 1)
      }
    }
  }

  @Test("if one of several good addresses is dead, the next one is used")
  func deadAddress() async throws {
    try await withHostileServer { server in
      let range = try AddressRange("127.0.0.0/8")
      try await withNameServer([Self.host: .addresses(["127.0.0.3", "127.0.0.1"])]) { names in
        let fetcher = try server.fetcher {
          $0.nameServers = names.address
          $0.addresses = AddressPolicy(allowing: [range])
        }
        let fetch = await fetcher.get(server.url(Self.behaviour, host: Self.host))
        #expect(fetch.status == 200)
        #expect(fetch.journal.hops.map(\.address) == ["127.0.0.1:\(server.port)"])
      }
    }
  }

  @Test("with an invalid list of name servers, every fetch fails")
  func noServers() async throws {
    var settings = FetchSettings()
    settings.nameServers = "not a server"
    let fetcher = try Fetcher(settings: settings)
    let error = FetchError.dnsFailed(
      host: "not a server", detail: "this is not a list of name servers", isTransient: false)
    for _ in 0..<3 {
      let fetch = await fetcher.get("https://media.example/")
      #expect(fetch.result.map(\.status) == .failure(error))
    }
  }
}
