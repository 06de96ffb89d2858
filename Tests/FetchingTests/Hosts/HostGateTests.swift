import Misbehaving
import TestSupport
import Testing

@testable import Fetching

@Suite("Host gate")
struct HostGateTests {
  @Test("more payloads are taken up once all names have been tried") func newcomers() async {
    let gate = HostGate(limits: .small)
    #expect(gate.isOpen)
    gate.tick(hasNewNames: true)
    #expect(!gate.isOpen)
    let opening = Task {
      await gate.waitUntilOpen()
      return gate.isOpen
    }
    while !gate.needsTicks { await Task.yield() }
    gate.tick(hasNewNames: true)
    gate.tick(hasNewNames: false)
    #expect(await opening.value)
  }

  @Test("a cancelled task does not wait for it to open", .timeLimit(.minutes(1))) func cancelled() async {
    let gate = HostGate(limits: .small)
    gate.tick(hasNewNames: true)
    let opening = Task { await gate.waitUntilOpen() }
    while !gate.needsTicks { await Task.yield() }
    opening.cancel()
    await opening.value
    #expect(!gate.needsTicks)
  }

  @Test("no more payloads are taken up while names wait that have not been tried", .timeLimit(.minutes(2)))
  func silentNames() async throws {
    let hosts = (0..<320).map { "silent-\($0).example" }
    try await withNameServer(Dictionary(uniqueKeysWithValues: hosts.map { ($0, .silence) })) { names in
      var settings = FetchSettings()
      settings.nameServers = names.address
      settings.hosts = HostLimits()
      let fetcher = try Fetcher(settings: settings)
      #expect(fetcher.isOpen)
      await withTaskGroup(of: Void.self) { group in
        for host in hosts {
          group.addTask { _ = await fetcher.get("https://\(host)/") }
        }
        // 16 of them at a time, for half a second each.
        while fetcher.isOpen { await Task.yield() }
        group.cancelAll()
        await fetcher.waitUntilOpen()
      }
      #expect(fetcher.isOpen)
    }
  }

  @Test("a URL that is refused anyway waits for no permit") func refusedURLs() async throws {
    var settings = FetchSettings()
    settings.hosts = HostLimits()
    let fetcher = try Fetcher(settings: settings)
    let url = try RemoteURL("http://media.example/")
    await #expect(throws: FetchError.schemeNotAllowed("http")) {
      _ = try await fetcher.permit(for: url, journal: FetchJournal(), bytes: 0) {}
    }
  }

  @Test("a host that is refused gets no permit, and the journal says why") func refused() async throws {
    var limits = HostLimits.small
    limits.firstPause = .seconds(3_600)
    var settings = FetchSettings()
    settings.hosts = limits
    let fetcher = try Fetcher(settings: settings)
    let gate = try #require(fetcher.hosts)
    let url = try RemoteURL("https://dead.example/photo.jpg")
    for _ in 0..<limits.maximumFailures {
      let permit = try await gate.permit(for: PermitRequest(url, bytes: 0)) {}.get()
      _ = try permit.begin(url) {}.end(.connectFailed(detail: "", isTransient: true), wasRequestSent: false)
    }
    let journal = FetchJournal()
    let error = await #expect(throws: FetchError.self) {
      _ = try await fetcher.permit(for: url, journal: journal, bytes: 0) {}
    }
    guard case .hostUnhealthy("dead.example", .outage) = error else {
      Issue.record("it is refused with \(String(describing: error))")
      return
    }
    #expect(journal.snapshot.hops == [Hop(url: url.text, attempt: 1, error: error)])
  }

  @Test("a transfer that is forgotten is over") func forgotten() async throws {
    let gate = HostGate(limits: .small)
    let url = try RemoteURL("https://media.example/")
    let permit = try await gate.permit(for: PermitRequest(url, bytes: 0)) {}.get()
    let transfer = try permit.begin(url) {}
    #expect(gate.needsTicks)
    _ = consume transfer
    #expect(!gate.needsTicks)
  }

  /// Four transfers to a host that is to answer in 100 ms, and what its gate cancels them with.
  private static func fourTransfers() async throws -> (HostGate, [HostTransfer], [Exchange.Cancellation]) {
    var limits = HostLimits.small
    limits.answerTimeout = .milliseconds(100)
    let gate = HostGate(limits: limits)
    let url = try RemoteURL("https://slow.example/")
    let permit = try await gate.permit(for: PermitRequest(url, bytes: 0)) {}.get()
    let inbox = try Inbox()
    let cancellations = (0..<4).map { Exchange.Cancellation(of: $0, in: inbox) }
    let transfers = try cancellations.map { one in try permit.begin(url) { one.cancel() } }
    return (gate, transfers, cancellations)
  }

  @Test(
    "a head that is told with the beginning of its body counts as one", .timeLimit(.minutes(1)),
    arguments: [true, false])
  func headWithBody(isTold: Bool) async throws {
    let (gate, transfers, cancellations) = try await Self.fourTransfers()
    for transfer in transfers { transfer.received(1, withHead: isTold) }
    try await Task.sleep(for: .milliseconds(300))
    // Those that have begun to answer are left alone while nobody needs their slots; of others two are.
    repeat {
      gate.tick(hasNewNames: false)
      try await Task.sleep(for: .milliseconds(10))
    } while !isTold && cancellations.count(where: \.isSet) < 2
    #expect(cancellations.count(where: \.isSet) == (isTold ? 0 : 2))
    let refusals = transfers.compactMap { $0.end(.cancelled, wasRequestSent: true) }
    #expect(refusals.count == (isTold ? 0 : 2))
  }

  @Test("who has answered is not silent, also where that is told with his end, by another thread")
  func answered() async throws {
    let (gate, transfers, cancellations) = try await Self.fourTransfers()
    let answered = transfers.map(\.id)
    try await Task.sleep(for: .milliseconds(300))
    #expect(gate.tick(hasNewNames: false, answered: answered))
    #expect(cancellations.count(where: \.isSet) == 0)
    #expect(gate.unhealthy.isEmpty)
    for transfer in transfers { #expect(transfer.end(nil, wasRequestSent: true, withHead: true) == nil) }
    // There is nothing left that anybody could be silent of.
    #expect(gate.tick(hasNewNames: false, answered: answered))
  }

  @Test("who has sent a head and nothing more is left alone", .timeLimit(.minutes(1)))
  func headAlone() async throws {
    let failures = try await Self.failures(ofFour: { .silentAfterHeaders($0) })
    #expect(failures == [.cancelled, .cancelled, .cancelled, .cancelled])
  }

  @Test("who has sent nothing keeps two transfers", .timeLimit(.minutes(1))) func silent() async throws {
    let failures = try await Self.failures(ofFour: { _ in .silent })
    #expect(failures.count { $0 == .cancelled } == 2)
    let isRevoked = failures.map { if case .hostUnhealthy(_, .revoked) = $0 { true } else { false } }
    #expect(isRevoked.count { $0 } == 2)
  }

  /// What four fetches at once from one host end with, which had answered before.
  private static func failures(ofFour behaviour: (Response) -> Behaviour) async throws -> [FetchError?] {
    let response = Response(.padded(first: [1], length: 1_000), as: "image/jpeg")
    let behaviour = behaviour(response)
    return try await withHostileServer { server in
      let fetcher = try server.fetcher {
        $0.hosts = .small
        $0.hosts?.answerTimeout = .seconds(1)
      }
      // Only a host that has delivered gets more than two transfers.
      #expect(try await Self.failure(of: server.url(.serve(response)), from: fetcher) == nil)
      return await withTaskGroup(of: FetchError?.self) { group in
        for _ in 0..<4 { group.addTask { try? await failure(of: server.url(behaviour), from: fetcher) } }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
  }

  private static func failure(of url: String, from fetcher: Fetcher) async throws -> FetchError? {
    let (url, sink) = (try RemoteURL(url), Sink())
    do throws(FetchError) {
      let permit = try await fetcher.permit(for: url, journal: sink.journal, bytes: 0) {}
      _ = try await fetcher.fetch(
        url, until: .now + .seconds(4), into: sink.consumer, journal: sink.journal, permit: permit)
      return nil
    } catch {
      return error
    }
  }
}
