import Misbehaving
import Supporting
import Synchronization
import TestSupport
import Testing

@testable import Fetching

/// Transfers that start while memory is short, next to transfers that never end.
@Suite("Transfers that wait for memory", .timeLimit(.minutes(5)))
struct HeldExchangesTests {
  @Test("eight transfers run, and the others start as these end, or once there is memory")
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

  @Test("a waiting transfer reports that it waits, and its times include the wait")
  func times() async throws {
    try await withHostileServer { server in
      let room = Room()
      let fetcher = try server.fetcher(asking: room)
      let first = await Self.fill(fetcher, server)
      let sink = Sink()
      let last = Task {
        await fetcher.get(server.url(Self.photo), into: sink)
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

  @Test("a transfer with little time left starts without memory, before those with more time")
  func overtaking() async throws {
    try await withHostileServer { server in
      let room = Room()
      let fetcher = try server.fetcher(asking: room)
      let first = await Self.fill(fetcher, server)
      let long = Self.begin(1, fetcher, server)[0]
      #expect(await eventually { room.questions > 0 })
      let short = await fetcher.get(server.url(Self.photo), within: .seconds(16))
      #expect(short.status == 200)
      for hop in short.journal.hops { #expect(hop.timings.connect ?? 0 >= 250_000) }
      #expect(server.connections == 9)
      await Self.end(first + [long])
    }
  }

  @Test("a fetch in progress continues before others start")
  func redirects() async throws {
    try await withHostileServer { server in
      let room = Room()
      let fetcher = try server.fetcher(asking: room)
      var others = Self.begin(7, fetcher, server)
      let latch = Latch()
      let redirect = Behaviour.held(by: latch, .redirect(to: server.url(Self.photo)))
      let sink = Sink()
      let redirected = Task {
        await fetcher.get(server.url(redirect), within: .seconds(3_000), into: sink)
      }
      #expect(await eventually { server.connections == 8 })
      others += Self.begin(4, fetcher, server)
      #expect(await room.isAskedAgain())
      latch.open()
      // The redirecting hop's place goes to a waiting transfer, and the next place to its target.
      #expect(
        await eventually { server.tally(of: .silent).requests == 8 && sink.journal.snapshot.hops.count == 1 })
      #expect(await room.isAskedAgain())
      others[0].cancel()
      #expect(await redirected.value.status == 200)
      await Self.end(others)
    }
  }

  @Test(
    "while one waits, an ending transfer closes an idle connection, unless there are few; not afterwards",
    arguments: [(24, 1), (12, 0)])
  func idleConnections(opened: Int, closed: Int) async throws {
    try await withHostileServer { server in
      let room = Room()
      room.isThere = true
      let fetcher = try server.fetcher(asking: room)
      await Self.get(opened, fetcher, server)
      #expect(server.connections == opened)
      room.isThere = false
      var silent = Self.begin(7, fetcher, server)
      let latch = Latch()
      let late = Behaviour.held(by: latch, Self.photo)
      let last = Task { await fetcher.get(server.url(late)) }
      #expect(
        await eventually {
          server.tally(of: .silent).requests == 7 && server.tally(of: late).requests == 1
        })
      silent += Self.begin(1, fetcher, server)
      #expect(await room.isAskedAgain())
      latch.open()
      #expect(await last.value.status == 200)
      #expect(await eventually { server.tally(of: .silent).requests == 8 })
      room.isThere = true
      // One connection for each transfer that is not silent, and one for each that was closed. The
      // second round needs no more.
      for _ in 0..<2 {
        await Self.get(opened - 8, fetcher, server)
        #expect(server.connections == opened + closed)
      }
      await Self.end(silent)
    }
  }

  @Test("the number of handshakes is passed on, until they have made no progress for a second")
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

  @Test("after an eighth of its time a transfer starts if there is memory for one, one after another")
  func limit() throws {
    let isFull = Mutex(false)
    var held = HeldExchanges { _, isOverdue in isOverdue && !isFull.withLock { $0 } }
    let all = try [8, 16, 8].map { try Self.resolved(Int($0)) }
    for one in all { held.append(one) }
    let start = all[2].resolved
    func next(after milliseconds: Int) -> Exchange.ID? {
      held.next(beside: 8, handshakes: 0, at: start + .milliseconds(milliseconds))?.exchange.id
    }
    #expect(next(after: 500) == nil)
    isFull.withLock { $0 = true }
    #expect(next(after: 1_000) == nil)
    isFull.withLock { $0 = false }
    #expect(next(after: 1_019) == nil)
    #expect(next(after: 1_020) == all[0].exchange.id)
    #expect(next(after: 1_039) == nil)
    #expect(next(after: 1_040) == all[2].exchange.id)
    #expect(next(after: 1_500) == nil)
    #expect(next(after: 2_000) == all[1].exchange.id)
    #expect(held.isEmpty)
  }

  /// A transfer that has this many seconds.
  private static func resolved(_ seconds: Int) throws -> ResolvedExchange {
    let sink = Sink()
    let end = ContinuousClock.now + .seconds(seconds)
    let exchange = Exchange(
      url: try RemoteURL("https://media.example/"), attempt: 1, end: end, conditions: [],
      consumer: sink, journal: sink.journal, cancellation: Exchange.Cancellation(in: try Inbox()),
      gated: nil)
    return ResolvedExchange(exchange: exchange, addresses: nil)
  }

  private static let photo = Behaviour.serve(Response(.bytes([1]), as: "image/png"))

  /// Fetches `count` times at once: no answer comes before all requests are there.
  private static func get(_ count: Int, _ fetcher: Fetcher, _ server: HostileServer) async {
    let latch = Latch()
    let behaviour = Behaviour.held(by: latch, photo)
    let fetches = (0..<count).map { _ in Task { await fetcher.get(server.url(behaviour)) } }
    #expect(await eventually { server.tally(of: behaviour).requests == count })
    latch.open()
    for fetch in fetches { #expect(await fetch.value.status == 200) }
  }

  /// Starts as many transfers as may start without asking for memory.
  private static func fill(_ fetcher: Fetcher, _ server: HostileServer) async -> [Task<Fetch, Never>] {
    let tasks = begin(8, fetcher, server)
    #expect(await eventually { server.tally(of: .silent).requests == 8 })
    return tasks
  }

  private static func end(_ fetches: [Task<Fetch, Never>]) async {
    for fetch in fetches { fetch.cancel() }
    for fetch in fetches { #expect(await fetch.value.failure == .cancelled) }
  }

  /// Starts fetches that do not end during the test.
  private static func begin(
    _ count: Int, _ fetcher: Fetcher, _ server: HostileServer
  ) -> [Task<Fetch, Never>] {
    (0..<count).map { _ in Task { await fetcher.get(server.url(.silent), within: .seconds(3_000)) } }
  }
}

/// Memory that is available or not.
private final class Room: Sendable {
  private let state = Mutex((isThere: false, questions: 0, handshakes: 0))

  var isThere: Bool {
    get { state.withLock { $0.isThere } }
    set { state.withLock { $0.isThere = newValue } }
  }

  var questions: Int { state.withLock { $0.questions } }

  /// The number of handshakes in the last question.
  var handshakes: Int { state.withLock { $0.handshakes } }

  /// Whether the loop asks a few more times, which shows that it has processed everything so far.
  func isAskedAgain() async -> Bool {
    let questions = questions
    return await eventually { self.questions > questions + 5 }
  }

  /// There is always room for overdue transfers.
  func ask(_ handshakes: Int, isOverdue: Bool) -> Bool {
    state.withLock {
      $0.questions += 1
      $0.handshakes = handshakes
      return $0.isThere || isOverdue
    }
  }
}

extension HostileServer {
  /// A fetcher that asks `room` before each transfer.
  fileprivate func fetcher(asking room: Room) throws -> Fetcher {
    try fetcher { $0.hasRoom = { room.ask($0, isOverdue: $1) } }
  }
}
