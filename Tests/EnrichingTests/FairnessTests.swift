import Enriching
import Fetching
import Misbehaving
import Notifications
import Synchronization
import TestSupport
import Testing

/// Payloads whose hosts do not answer, next to payloads whose hosts do.
@Suite("Fairness among hosts", .timeLimit(.minutes(5)))
struct FairnessTests {
  private static let photo = Behaviour.serve(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg"))

  /// Allows eight transfers at once: one for a host that has not answered yet, and four for all
  /// such hosts together.
  private static func enricher(
    _ alive: HostileServer, _ dead: HostileServer, store: TemporaryDirectory, nameServers: String,
    patience: Duration
  ) throws -> Enricher {
    var settings = try EnrichmentSettings.reaching(alive.port, dead.port, store: store)
    settings.concurrency = 8
    settings.fetching.nameServers = nameServers
    settings.hosts?.answerTimeout = patience
    // When the line of waiting payloads is full depends on timing.
    settings.hosts?.waitingBytes = .max
    settings.hosts?.firstPause = .milliseconds(50)
    settings.hosts?.longestPause = .milliseconds(200)
    return try Enricher(settings: settings)
  }

  /// Runs `body` with a server that answers and one that does not. At the end, it stops the dead
  /// server and waits for the payloads in `pending`.
  private static func withServers(
    names count: Int = 0, patience: Duration = .milliseconds(500),
    _ body: (Enricher, _ alive: HostileServer, _ dead: HostileServer, Pending) async throws -> Void
  ) async throws {
    let pending = Pending()
    try await withTemporaryDirectory { store in
      try await withHostileServer { alive in
        try await withHostileServer { dead in
          let names = Dictionary(
            uniqueKeysWithValues: (0..<count).map { ("n\($0).example", NameAnswer.addresses(["127.0.0.1"])) })
          try await withNameServer(names) { server in
            let enricher = try enricher(
              alive, dead, store: store, nameServers: server.address, patience: patience)
            try await body(enricher, alive, dead, pending)
          }
        }
        // The connections of the dead server are closed now, so this does not wait for deadlines.
        await pending.finish()
      }
    }
  }

  @Test(
    "payloads of a host that answers are enriched while others wait for a host that is silent or never finishes",
    arguments: [
      Behaviour.silent, .drippingBody(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg")),
    ])
  func half(behaviour: Behaviour) async throws {
    try await Self.withServers(patience: .seconds(10)) { enricher, alive, dead, pending in
      for number in 0..<40 {
        pending.enrich(try payload(naming: dead.url(behaviour, file: "\(number)")), with: enricher)
      }
      #expect(await eventually { dead.tally(of: behaviour).requests >= 1 })
      let healthy = try payload(naming: alive.url(Self.photo))
      #expect(await outcomes(of: 40, healthy, with: enricher) == [String](repeating: "enriched", count: 40))
    }
  }

  @Test("payloads of a host that answers are enriched while more and more new hosts are silent")
  func strangers() async throws {
    try await Self.withServers(names: 24, patience: .seconds(10)) { enricher, alive, dead, pending in
      let healthy = try payload(naming: alive.url(Self.photo))
      #expect(await enricher.enrich(healthy).outcome.name == "enriched")
      for number in 0..<24 {
        pending.enrich(
          try payload(naming: dead.url(.silent, host: "n\(number).example")), with: enricher)
      }
      #expect(await eventually { dead.tally(of: .silent).requests >= 4 })
      #expect(await outcomes(of: 40, healthy, with: enricher) == [String](repeating: "enriched", count: 40))
    }
  }

  @Test("a host that does not answer is left alone for a while, and used again once it answers")
  func breaker()
    async throws
  {
    try await Self.withServers { enricher, _, dead, pending in
      let recovering = Behaviour.failing(first: 3, by: .silent, then: Self.photo)
      let payload = try payload(naming: dead.url(recovering))
      #expect(
        try await pending.eventually(payload, with: enricher) {
          pending.reasons.contains(.hostUnhealthy)
        })
      #expect(
        try await pending.eventually(payload, with: enricher) {
          pending.isAnyEnriched
        })
      #expect(dead.tally(of: recovering).requests >= 4)
      #expect(
        try await eventually {
          await enricher.enrich(payload).outcome.name == "enriched" && enricher.unhealthyHosts.isEmpty
        })
    }
  }

  @Test("a host that refuses connections is left alone for a while") func refused() async throws {
    let port = freePort()
    try await withTemporaryDirectory { store in
      let enricher = try Enricher(settings: .reaching(port, store: store))
      let payload = try payload(naming: "http://127.0.0.1:\(port)/photo.jpg")
      let pending = Pending()
      #expect(
        try await pending.eventually(payload, with: enricher) {
          pending.reasons.contains(.hostUnhealthy)
        })
      #expect(enricher.unhealthyHosts.map(\.origin) == ["http://127.0.0.1:\(port)"])
      await pending.finish()
      #expect(pending.reasons.isSubset(of: [.hostUnhealthy, .connectFailed]))
    }
  }

  @Test("single URLs of a host that are reset or hang do not close the host for its other URLs")
  func badURLs() async throws {
    try await Self.withServers { enricher, _, host, pending in
      let healthy = try payload(naming: host.url(Self.photo))
      let reset = try payload(naming: host.url(.reset))
      let failed = await outcomes(of: 6, reset, with: enricher)
      #expect(failed.allSatisfy { $0.hasPrefix("connect-failed: ") })
      let first = await outcomeOfThree(healthy, with: enricher)
      #expect(first == "enriched")
      let stuck = try payload(naming: host.url(.silent))
      #expect(
        try await pending.eventually(stuck, with: enricher) {
          pending.reasons.contains(.hostUnhealthy)
        })
      let second = await outcomeOfThree(healthy, with: enricher)
      #expect(second == "enriched")
    }
  }

  @Test(
    "if a redirect leads to a host that does not answer, that host is blamed and not the one that redirects")
  func redirect() async throws {
    try await Self.withServers { enricher, alive, dead, pending in
      let payload = try payload(naming: alive.url(.redirect(to: dead.url(.silent))))
      #expect(
        try await pending.eventually(payload, with: enricher) {
          pending.reasons.contains(.hostUnhealthy)
        })
      let healthy = try EnrichingTests.payload(naming: alive.url(Self.photo))
      let origin = "http://127.0.0.1:\(dead.port)"
      #expect(
        try await eventually {
          await enricher.enrich(healthy).outcome.name == "enriched"
            && enricher.unhealthyHosts.map(\.origin) == [origin]
        })
    }
  }

  @Test("of several media, those whose hosts answer are attached") func several() async throws {
    try await Self.withServers { enricher, alive, dead, pending in
      let stuck = try payload(naming: dead.url(.silent))
      #expect(
        try await pending.eventually(stuck, with: enricher) {
          pending.reasons.contains(.hostUnhealthy)
        })
      // The medium of the dead host may be the probe, and wait.
      let both = try payload(naming: alive.url(Self.photo), dead.url(.silent))
      #expect(
        try await pending.eventually(both, with: enricher) {
          pending.isAnyEnriched
        })
    }
  }

  /// Tries up to three times. A busy machine may hold up one request for too long. A host that is closed
  /// refuses all three at once.
  private func outcomeOfThree(_ payload: PushMessage, with enricher: Enricher) async -> String {
    var outcome = ""
    for _ in 0..<3 where outcome != "enriched" {
      outcome = await outcomes(of: 1, payload, with: enricher)[0]
    }
    return outcome
  }

  private func outcomes(of count: Int, _ payload: PushMessage, with enricher: Enricher) async -> [String] {
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<count {
        group.addTask {
          let outcome = await enricher.enrich(payload).outcome
          return outcome.failure?.description ?? outcome.name
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}

/// Payloads that are being enriched, and the outcomes of those that are done.
private final class Pending: Sendable {
  private let state = Mutex((tasks: [Task<Void, Never>](), outcomes: [Outcome]()))

  func enrich(_ payload: PushMessage, with enricher: Enricher) {
    let task = Task {
      let outcome = await enricher.enrich(payload).outcome
      state.withLock { $0.outcomes.append(outcome) }
    }
    state.withLock { $0.tasks.append(task) }
  }

  /// Enriches a payload every now and then until `condition` is true, for a minute at most.
  func eventually(
    _ payload: PushMessage, with enricher: Enricher, _ condition: () -> Bool
  ) async throws -> Bool {
    for _ in 0..<600 where !condition() {
      enrich(payload, with: enricher)
      try await Task.sleep(for: .milliseconds(100))
    }
    return condition()
  }

  var reasons: Set<Reason> { state.withLock { Set($0.outcomes.compactMap(\.failure?.reason)) } }

  var isAnyEnriched: Bool { state.withLock { $0.outcomes.contains { $0.name == "enriched" } } }

  func finish() async {
    for task in state.withLock({ $0.tasks }) { await task.value }
  }
}
