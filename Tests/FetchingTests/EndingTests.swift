import Fetching
import Misbehaving
import TestSupport
import Testing

/// A stuck fetch ends on time and on request, wherever it is stuck.
@Suite("Ends of fetches", .timeLimit(.minutes(5)))
struct EndingTests {
  private static let response = Response(.padded(first: [1], length: 1_000), as: "image/jpeg")

  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let phase: FetchJournal.Phase
    /// The status of the hop in the journal.
    var status: Int?
    var received = 0
    let url: @Sendable (HostileServer) -> String

    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "a silent name server", phase: .resolving) { $0.url(.silent, host: "silent.example") },
    Case(name: "a TLS handshake that stalls", phase: .connecting) { $0.stallingTLSURL() },
    Case(name: "a silent server", phase: .answering) { $0.url(.silent) },
    Case(name: "headers in drops", phase: .answering) { $0.url(.drippingHeaders(every: .milliseconds(20))) },
    Case(name: "headers and nothing more", phase: .receiving, status: 200) {
      $0.url(.silentAfterHeaders(response))
    },
    Case(name: "a body that stalls", phase: .receiving, status: 200, received: 100) {
      $0.url(.stalling(response, after: 100))
    },
    Case(name: "a long pause", phase: .pausing, status: 503) { $0.url(.unavailable(503, retryAfter: "20")) },
  ]

  private static func run(
    _ expected: Case, _ body: (Fetcher, HostileServer, String) async throws -> Void
  ) async throws {
    try await withHostileServer { server in
      try await withNameServer(["silent.example": .silence]) { names in
        try await body(
          try server.fetcher {
            $0.nameServers = names.address
            // So that the pause does not end while the test looks.
            $0.longestPause = .seconds(60)
          }, server, expected.url(server))
      }
    }
  }

  @Test("a stuck fetch ends on time", arguments: cases.filter { $0.phase != .pausing })
  func time(expected: Case) async throws {
    try await Self.run(expected) { fetcher, server, url in
      // A busy machine may need seconds until it is stuck.
      let fetch = await fetcher.get(url, within: .seconds(8))
      #expect(fetch.failure == .cancelled)
      #expect(fetch.journal.phase == expected.phase)
      #expect(fetch.steps == [Step(expected.status, error: .cancelled)])
      #expect(fetch.journal.received == expected.received)
      #expect(await eventually { server.openConnections == 0 })
    }
  }

  @Test("a stuck fetch ends when its task is cancelled", arguments: cases)
  func cancellation(expected: Case) async throws {
    try await Self.run(expected) { fetcher, server, url in
      let sink = Sink()
      let task = Task { await fetcher.get(url, into: sink) }
      #expect(
        await eventually {
          sink.journal.snapshot.phase == expected.phase && sink.received == expected.received
        })
      task.cancel()
      let fetch = await task.value
      #expect(fetch.failure == .cancelled)
      #expect(fetch.journal.phase == expected.phase)
      #expect(fetch.journal.hops.map(\.status) == [expected.status])
      #expect(await eventually { server.openConnections == 0 || expected.phase == .pausing })
    }
  }

  @Test("a fetch that is cancelled before it starts sends nothing")
  func early() async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher()
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        return await fetcher.get(server.url(.silent))
      }
      task.cancel()
      #expect(await task.value.failure == .cancelled)
      #expect(await fetcher.get(server.url(.silent), until: .now - .seconds(1)).failure == .cancelled)
      #expect(server.tally(of: .silent).requests == 0)
    }
  }

  @Test("a fetch that waits for one of the few connections can be cancelled")
  func queue() async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher { $0.concurrency = 1 }
      let stuck = Task { await fetcher.get(server.url(.silent)) }
      #expect(await eventually { server.tally(of: .silent).requests == 1 })
      let other = server.url(.serve(Self.response))
      let late = await fetcher.get(other, within: .milliseconds(300))
      #expect(late.failure == .cancelled)
      #expect(late.journal.phase == .queued)
      #expect(server.tally(of: .serve(Self.response)).requests == 0)
      stuck.cancel()
      #expect(await stuck.value.failure == .cancelled)
      #expect(await fetcher.get(other).status == 200)
    }
  }

  @Test("other fetches continue while some are stuck")
  func company() async throws {
    try await withHostileServer { server in
      try await withNameServer(["silent.example": .silence]) { names in
        let fetcher = try server.fetcher { $0.nameServers = names.address }
        let stuck = [
          server.url(.silent), server.url(.silent, host: "silent.example"), server.stallingTLSURL(),
        ]
        let tasks = stuck.map { url in Task { await fetcher.get(url) } }
        #expect(await eventually { server.connections == 2 && names.queries >= 2 })
        for _ in 0..<5 { #expect(await fetcher.get(server.url(.serve(Self.response))).status == 200) }
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value.failure == .cancelled) }
      }
    }
  }
}
