import Fetching
import Misbehaving
import TestSupport
import Testing

/// Many fetches at once with one fetcher.
@Suite("Many fetches", .timeLimit(.minutes(5)))
struct ConcurrencyTests {
  @Test("64 fetches at once, good and bad, have their own results")
  func many() async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher { $0.maximumBodyBytes = 30_000 }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<64 {
          let bytes = (0..<(300 * number + 1)).map { UInt8(truncatingIfNeeded: $0 &+ number) }
          let good = server.url(.serve(Response(.bytes(bytes), as: "image/png")))
          group.addTask {
            switch number % 8 {
            case 0:
              #expect(
                await fetcher.get(server.url(.serve(.notFoundPage))).failure
                  == .httpStatus(404, retryAfter: nil))
            case 1:
              #expect(
                await fetcher.get(server.url(.silent), within: .milliseconds(300)).failure == .cancelled)
            case 2:
              #expect(
                await fetcher.get(server.url(.endlessTrailers)).failure == .headersTooLarge(maximum: 65_536))
            case 3:
              #expect(await fetcher.get(server.url(.redirectLoop)).failure == .redirectLimit(maximum: 10))
            default: #expect(await fetcher.get(good).body == bytes)
            }
          }
        }
      }
    }
  }

  @Test("no more connections are opened than allowed")
  func limit() async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher { $0.concurrency = 4 }
      let tasks = (0..<12).map { _ in Task { await fetcher.get(server.url(.silent)) } }
      #expect(await eventually { server.tally(of: .silent).requests == 4 })
      // Time for a fifth connection, if one were opened.
      try await Task.sleep(for: .milliseconds(100))
      #expect(server.connections == 4)
      for task in tasks { task.cancel() }
      for task in tasks { #expect(await task.value.failure == .cancelled) }
    }
  }

  /// A transfer gets at most a quarter of a megabyte per turn. An honest one needs a few turns.
  @Test("floods that arrive faster than they are read do not hold up others")
  func turns() async throws {
    let flood = Behaviour.endlessBody(first: [], as: "image/jpeg")
    let photo = Behaviour.serve(Response(.bytes([1]), as: "image/png"))
    try await withTLS(speaking: .http1) { tls, caFile in
      try await withHostileServer(tls: tls) { fast in
        try await withHostileServer { honest in
          var settings = try FetchSettings.loopback(ports: [fast.port, honest.port])
          settings.certificateFile = caFile
          settings.maximumBodyBytes = 100_000_000_000
          let fetcher = try Fetcher(settings: settings)
          let sinks = (0..<12).map { _ in Sink(isKept: false) }
          let floods = sinks.map { sink in Task { await fetcher.get(fast.url(flood), into: sink) } }
          #expect(await eventually { sinks.allSatisfy { $0.received > 100_000 } })
          // What the floods get meanwhile. A busy machine may hold up this task, but not every time.
          var growth: [Int] = []
          for _ in 0..<10 {
            let before = sinks.map(\.received)
            #expect(await fetcher.get(honest.url(photo)).failure == nil)
            growth.append(zip(sinks, before).map { $0.received - $1 }.max() ?? 0)
          }
          #expect(growth.contains { $0 < 3_000_000 }, "\(growth)")
          for flood in floods { flood.cancel() }
          for flood in floods { #expect(await flood.value.failure == .cancelled) }
        }
      }
    }
  }

  @Test("fetches that wait for a connection get one")
  func queue() async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher { $0.concurrency = 2 }
      let behaviour = Behaviour.late(by: .milliseconds(5), .serve(Response(.bytes([1]), as: "image/png")))
      let statuses = await withTaskGroup(of: Int?.self) { group in
        for _ in 0..<40 { group.addTask { await fetcher.get(server.url(behaviour)).status } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses == Array(repeating: 200, count: 40))
      #expect(server.tally(of: behaviour).requests == 40)
      #expect(server.connections <= 2)
    }
  }
}
