import Fetching
import Misbehaving
import TestSupport
import Testing

/// Many lookups, repeated lookups, and lookups that nobody waits for any more.
@Suite("Lookups", .timeLimit(.minutes(5)))
struct LookupTests {
  private static let host = "media.example"
  private static let behaviour = Behaviour.serve(Response(.bytes([1]), as: "image/png"))
  private static let good = NameAnswer.addresses(["127.0.0.1"], ttl: 300)
  private static let silent = (0..<48).map { "silent-\($0).example" }

  private static func withNames(
    _ answer: NameAnswer, _ body: (Fetcher, String, HostileServer, NameServer) async throws -> Void
  ) async throws {
    let silence = Dictionary(uniqueKeysWithValues: silent.map { ($0, NameAnswer.silence) })
    try await withHostileServer { server in
      try await withNameServer(silence.merging([host: answer]) { $1 }) { names in
        let fetcher = try server.fetcher { $0.nameServers = names.address }
        try await body(fetcher, server.url(behaviour, host: host), server, names)
      }
    }
  }

  @Test("an answer is reused for its time to live, whatever the case of the name")
  func cached() async throws {
    try await Self.withNames(Self.good) { fetcher, url, server, names in
      #expect(await fetcher.get(url).status == 200)
      let queries = names.queries
      names.answer(Self.host, with: .nameError)
      for host in [Self.host, "MEDIA.example", "media.example."] {
        #expect(await fetcher.get(server.url(Self.behaviour, host: host)).status == 200)
      }
      #expect(names.queries == queries)
    }
  }

  @Test("an alias is valid for as long as its shortest record", arguments: [UInt32(0), 300])
  func alias(ttl: UInt32) async throws {
    let answer = NameAnswer.alias(of: "cdn.example", ["127.0.0.1"], ttl: ttl)
    try await Self.withNames(answer) { fetcher, url, _, names in
      #expect(await fetcher.get(url).status == 200)
      names.answer(Self.host, with: .nameError)
      #expect(await fetcher.get(url).status == (ttl == 0 ? nil : 200))
    }
  }

  @Test(
    "an answer without time to live, half an answer and a failure are not reused",
    arguments: [
      NameAnswer.addresses(["127.0.0.1"], ttl: 0), .perFamily(v4: good, v6: .serverFailure), .nameError,
      .addresses([]),
    ])
  func uncached(answer: NameAnswer) async throws {
    try await Self.withNames(answer) { fetcher, url, _, names in
      let first = await fetcher.get(url)
      names.answer(Self.host, with: .addresses(["127.0.0.2"]))
      let blocked = FetchError.addressBlocked(address: "127.0.0.2", purpose: "loopback")
      #expect(first.failure != blocked)
      #expect(await fetcher.get(url).failure == blocked)
      // This answer is kept, and judged again.
      let queries = names.queries
      names.answer(Self.host, with: .nameError)
      #expect(await fetcher.get(url).failure == blocked)
      #expect(names.queries == queries)
    }
  }

  @Test("several fetches of a name share one lookup")
  func shared() async throws {
    try await Self.withNames(.silence) { fetcher, url, _, names in
      let sinks = (0..<50).map { _ in Sink() }
      let tasks = sinks.map { sink in Task { await fetcher.get(url, into: sink) } }
      #expect(await eventually { sinks.allSatisfy { $0.journal.snapshot.phase == .resolving } })
      #expect(await eventually { names.queries >= 2 })
      // One of them gives up, which does not affect the others.
      tasks[0].cancel()
      #expect(await tasks[0].value.failure == .cancelled)
      names.answer(Self.host, with: Self.good)
      for task in tasks.dropFirst() { #expect(await task.value.status == 200) }
      // The question and its repetitions.
      #expect(names.queries(for: Self.host, .a) < 50)
    }
  }

  @Test("a good name gets its answer while three times as many as may be looked up at once are silent")
  func company() async throws {
    try await Self.withNames(Self.good) { fetcher, url, server, names in
      let silent = Self.silent.map { server.url(Self.behaviour, host: $0) }
      let tasks = silent.map { url in Task { await fetcher.get(url) } }
      #expect(await eventually { names.queries >= 32 })
      #expect(await fetcher.get(url).status == 200)
      for task in tasks { task.cancel() }
      for task in tasks { #expect(await task.value.failure == .cancelled) }
      #expect(server.connections == 1)
    }
  }

  @Test("silent names that start to answer are resolved, however often they had to wait")
  func recovery() async throws {
    try await Self.withNames(.silence) { fetcher, _, server, names in
      let tasks = Self.silent.map { host in
        Task { await fetcher.get(server.url(Self.behaviour, host: host)) }
      }
      #expect(await eventually { Self.silent.allSatisfy { names.queries(for: $0, .a) >= 1 } })
      for host in Self.silent { names.answer(host, with: .addresses(["127.0.0.1"])) }
      for task in tasks { #expect(await task.value.status == 200) }
    }
  }
}
