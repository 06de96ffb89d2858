import Misbehaving
import Supporting
import Synchronization
import TestSupport
import Testing

@testable import Fetching

/// What begins while memory is short, beside transfers that nobody answers, and that do not end by themselves.
@Suite("Transfers that wait for memory", .timeLimit(.minutes(2)))
struct HeldExchangesTests {
  @Test("eight are under way, and the others begin as these end, or once there is room")
  func order() async throws {
    try await withHostileServer { server in
      let room = Room()
      let fetcher = try server.fetcher(asking: room)
      let first = await Self.fill(fetcher, server)
      let others = Self.begin(4, fetcher, server)
      #expect(await room.isAskedAgain())
      others[0].cancel()
      #expect(await others[0].value.failure == .cancelled)
      #expect(await room.isAskedAgain())
      #expect(server.connections == 8)
      first[0].cancel()
      #expect(await first[0].value.failure == .cancelled)
      #expect(await eventually { server.connections == 9 })
      room.isThere = true
      #expect(await eventually { server.connections == 11 })
      await Self.end(first + others)
    }
  }

  @Test("one that waits says so, and what it has waited for is in its times")
  func times() async throws {
    try await withHostileServer { server in
      let room = Room()
      let fetcher = try server.fetcher(asking: room)
      let first = await Self.fill(fetcher, server)
      let sink = Sink()
      let last = Task {
        await fetcher.get(server.url(Self.photo()), into: sink)
      }
      #expect(await eventually { room.questions > 0 })
      let start = ContinuousClock.now
      #expect(sink.journal.snapshot.phase == .queued)
      try await Task.sleep(for: .milliseconds(20))
      let waited = ContinuousClock.now - start
      room.isThere = true
      let fetch = await last.value
      #expect(fetch.status == 200)
      #expect(fetch.journal.hops.count == 1)
      for hop in fetch.journal.hops { #expect(hop.timings.connect ?? 0 >= waited.microseconds) }
      await Self.end(first)
    }
  }

  @Test("who has little time begins without room, before those who have more")
  func overtaking() async throws {
    try await withHostileServer { server in
      let room = Room()
      let fetcher = try server.fetcher(asking: room)
      let first = await Self.fill(fetcher, server)
      let long = Self.begin(1, fetcher, server)[0]
      #expect(await eventually { room.questions > 0 })
      let short = await fetcher.get(server.url(Self.photo()), within: .seconds(4))
      #expect(short.status == 200)
      for hop in short.journal.hops { #expect(hop.timings.connect ?? 0 >= 250_000) }
      #expect(server.connections == 9)
      await Self.end(first + [long])
    }
  }

  @Test("a fetch that has begun goes on before others begin")
  func redirects() async throws {
    try await withHostileServer { server in
      let room = Room()
      let fetcher = try server.fetcher(asking: room)
      var others = Self.begin(7, fetcher, server)
      let redirect = Behaviour.late(by: .milliseconds(300), .redirect(to: server.url(Self.photo())))
      let sink = Sink()
      let redirected = Task {
        await fetcher.get(server.url(redirect), within: .seconds(3_000), into: sink)
      }
      #expect(await eventually { server.connections == 8 })
      others += Self.begin(4, fetcher, server)
      // The place of what has redirected goes to who waits, and the next one to what it leads to.
      #expect(
        await eventually { server.tally(of: .silent).requests == 8 && sink.journal.snapshot.hops.count == 1 })
      #expect(await room.isAskedAgain())
      others[0].cancel()
      #expect(await redirected.value.status == 200)
      await Self.end(others)
    }
  }

  @Test(
    "while one waits, an idle connection goes with the transfer that ends, unless they are few; not afterwards",
    arguments: [(24, 1), (12, 0)])
  func idleConnections(opened: Int, closed: Int) async throws {
    try await withHostileServer { server in
      let room = Room()
      room.isThere = true
      let fetcher = try server.fetcher(asking: room)
      let soon = Self.photo(after: .milliseconds(500))
      await Self.get(opened, soon, fetcher, server)
      #expect(server.connections == opened)
      room.isThere = false
      var silent = Self.begin(7, fetcher, server)
      let late = Self.photo(after: .seconds(2))
      let last = Task { await fetcher.get(server.url(late)) }
      #expect(
        await eventually {
          server.tally(of: .silent).requests == 7 && server.tally(of: late).requests == 1
        })
      silent += Self.begin(1, fetcher, server)
      #expect(await room.isAskedAgain())
      #expect(await last.value.status == 200)
      #expect(await eventually { server.tally(of: .silent).requests == 8 })
      room.isThere = true
      // One for each that is not silent, and one more for each that was closed. The second time they are there.
      for _ in 0..<2 {
        await Self.get(opened - 8, soon, fetcher, server)
        #expect(server.connections == opened + closed)
      }
      await Self.end(silent)
    }
  }

  @Test("it is told how many are in their handshakes, until nothing comes of them for a second")
  func handshakes() async throws {
    try await withHostileServer { server in
      let room = Room()
      let fetcher = try server.fetcher(asking: room)
      let url = server.stallingTLSURL()
      let tasks = (0..<9).map { _ in Task { await fetcher.get(url, within: .seconds(3_000)) } }
      #expect(await eventually { room.handshakes == 8 })
      #expect(await eventually { room.handshakes == 0 })
      await Self.end(tasks)
    }
  }

  @Test("who has waited for an eighth of his time begins, one after the other")
  func limit() throws {
    var held = HeldExchanges { _ in false }
    let all = try [8, 16, 8].map { try Self.resolved(Int($0)) }
    for one in all { held.append(one) }
    let start = all[2].resolved
    func next(after milliseconds: Int) -> Exchange.ID? {
      held.next(beside: 8, handshakes: 0, at: start + .milliseconds(milliseconds))?.exchange.id
    }
    #expect(next(after: 500) == nil)
    #expect(next(after: 1_000) == all[0].exchange.id)
    #expect(next(after: 1_019) == nil)
    #expect(next(after: 1_020) == all[2].exchange.id)
    #expect(next(after: 1_500) == nil)
    #expect(next(after: 2_000) == all[1].exchange.id)
    #expect(held.isEmpty)
  }

  /// One that has so many seconds.
  private static func resolved(_ seconds: Int) throws -> ResolvedExchange {
    let sink = Sink()
    let end = ContinuousClock.now + .seconds(seconds)
    let exchange = Exchange(
      url: try RemoteURL("https://media.example/"), attempt: 1, end: end, conditions: [],
      consumer: sink, journal: sink.journal, cancellation: Exchange.Cancellation(in: try Inbox()),
      gated: nil)
    return ResolvedExchange(exchange: exchange, addresses: nil)
  }

  private static func photo(after delay: Duration = .zero) -> Behaviour {
    .late(by: delay, .serve(Response(.bytes([1]), as: "image/png")))
  }

  /// All at once.
  private static func get(
    _ count: Int, _ behaviour: Behaviour, _ fetcher: Fetcher, _ server: HostileServer
  ) async {
    let fetches = (0..<count).map { _ in Task { await fetcher.get(server.url(behaviour)) } }
    for fetch in fetches { #expect(await fetch.value.status == 200) }
  }

  /// As many transfers as begin without being asked for.
  private static func fill(_ fetcher: Fetcher, _ server: HostileServer) async -> [Task<Fetch, Never>] {
    let tasks = begin(8, fetcher, server)
    #expect(await eventually { server.tally(of: .silent).requests == 8 })
    return tasks
  }

  private static func end(_ fetches: [Task<Fetch, Never>]) async {
    for fetch in fetches { fetch.cancel() }
    for fetch in fetches { #expect(await fetch.value.failure == .cancelled) }
  }

  /// Fetches that have all the time of this test.
  private static func begin(
    _ count: Int, _ fetcher: Fetcher, _ server: HostileServer
  ) -> [Task<Fetch, Never>] {
    (0..<count).map { _ in Task { await fetcher.get(server.url(.silent), within: .seconds(3_000)) } }
  }
}

/// Memory that there is, or is not.
private final class Room: Sendable {
  private let state = Mutex((isThere: false, questions: 0, handshakes: 0))

  var isThere: Bool {
    get { state.withLock { $0.isThere } }
    set { state.withLock { $0.isThere = newValue } }
  }

  var questions: Int { state.withLock { $0.questions } }

  /// Those that it was last told of.
  var handshakes: Int { state.withLock { $0.handshakes } }

  /// Whether the loop, with all that it has got, comes to ask a few times more.
  func isAskedAgain() async -> Bool {
    let questions = questions
    return await eventually { self.questions > questions + 5 }
  }

  func ask(_ handshakes: Int) -> Bool {
    state.withLock {
      $0.questions += 1
      $0.handshakes = handshakes
      return $0.isThere
    }
  }
}

extension HostileServer {
  /// A fetcher that asks `room` before each transfer.
  fileprivate func fetcher(asking room: Room) throws -> Fetcher {
    try fetcher { $0.hasRoom = { room.ask($0) } }
  }
}
