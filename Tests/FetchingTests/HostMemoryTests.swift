import CLinux
import Fetching
import Misbehaving
import TestSupport
import Testing

/// The memory that libcurl keeps for hosts. Each host has its own address here.
@Suite("Memory of hosts", .timeLimit(.minutes(5)))
struct HostMemoryTests {
  private static let photo = Behaviour.serve(Response(.bytes([1]), as: "image/png"))

  /// The bytes of the heap that are in use.
  private var used: Int { Int(mallinfo2().uordblks) }

  /// Runs in a process of its own, whose heap has nothing else in it.
  @Test("is freed after a while, however many hosts there are")
  func forgotten() async {
    await #expect(processExitsWith: .success) {
      let kept = try await HostMemoryTests().growth(with: .max)
      // libcurl takes 450 KB for them. The memory that this process takes is the same in both
      // cases.
      #expect(try await HostMemoryTests().growth(with: 32) < kept - 200_000)
    }
  }

  /// The bytes that 3,000 hosts take.
  private func growth(with lifetime: Int) async throws -> Int {
    try await withFetcher(lifetime) { fetcher, server in
      await visit(0..<200, fetcher, server)
      let before = used
      await visit(200..<3_200, fetcher, server)
      return used - before
    }
  }

  @Test("is freed while a long transfer continues; connections are not kept if that transfer takes too long")
  func lasting() async throws {
    try await withFetcher(32) { fetcher, server in
      let latch = Latch()
      let lasting = Behaviour.held(by: latch, Self.photo)
      // It has to last until the end, even on a busy machine.
      let url = server.url(lasting, host: "127.0.0.1")
      let last = Task { await fetcher.get(url, within: .seconds(240)) }
      #expect(await eventually { server.tally(of: lasting).requests == 1 })
      #expect(await connections(forVisits: 5, fetcher, server) == 1)
      // The first handle is worn out after 32 connections, and replaced 8 transfers later.
      await visit(0..<33, fetcher, server)
      #expect(await connections(forVisits: 5, fetcher, server) == 5)
      await visit(33..<40, fetcher, server)
      #expect(await connections(forVisits: 5, fetcher, server) == 1)
      // The second handle is not replaced while the first one still has a transfer.
      await visit(40..<100, fetcher, server)
      #expect(await connections(forVisits: 5, fetcher, server) == 5)
      #expect(await eventually { server.openConnections == 1 })
      latch.open()
      #expect(await last.value.status == 200)
      #expect(await connections(forVisits: 5, fetcher, server) == 1)
    }
  }

  /// Calls `body` with a fetcher whose handles are worn out after `lifetime` connections.
  private func withFetcher<Result: Sendable>(
    _ lifetime: Int, _ body: @Sendable (Fetcher, HostileServer) async throws -> Result
  ) async throws -> Result {
    let loopback = try AddressRange("127.0.0.0/8")
    return try await withHostileServer(on: "0.0.0.0") { server in
      let fetcher = try server.fetcher {
        $0.addresses = AddressPolicy(allowing: [loopback])
        $0.concurrency = 4
        $0.handleLifetime = lifetime
      }
      return try await body(fetcher, server)
    }
  }

  /// Fetches from each of these hosts in turn.
  private func visit(_ hosts: Range<Int>, _ fetcher: Fetcher, _ server: HostileServer) async {
    for number in hosts {
      let host = "127.1.\(number / 250).\(number % 250 + 1)"
      #expect(await fetcher.get(server.url(Self.photo, host: host)).status == 200)
    }
  }

  /// - Returns: the number of connections that `count` fetches from the same host take.
  private func connections(
    forVisits count: Int, _ fetcher: Fetcher, _ server: HostileServer
  ) async -> Int {
    let before = server.connections
    for _ in 0..<count { await visit(0..<1, fetcher, server) }
    return server.connections - before
  }
}
