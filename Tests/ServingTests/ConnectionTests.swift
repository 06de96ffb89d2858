import Serving
import Supporting
import Synchronization
import TestSupport
import Testing

@Suite("A connection", .timeLimit(.minutes(5)))
struct ConnectionTests {
  /// Opens `count` connections with this request in turn, and keeps them until standard input ends.
  fileprivate static func hold(_ count: Int, _ server: Server, while body: () async throws -> Void)
    async throws
  {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        _ = try await server.shell(
          """
          for _ in {1..\(count)}; do exec {held}<>/dev/tcp/127.0.0.1/$1
          printf 'POST /wait HTTP/1.1\\r\\nContent-Length: 3\\r\\n\\r\\nabc' >&"$held"; done; sleep 60
          """)
      }
      try await body()
      group.cancelAll()
    }
  }

  @Test("that closes cancels its route") func cancellation() async throws {
    let begun = Counter()
    let cancelled = Counter()
    let wait = Route("/wait", .post) { _ in
      begun.add()
      do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.add() }
      return Response()
    }
    try await withServer([wait]) { server in
      try await Self.hold(3, server) { #expect(await eventually { begun.count == 3 }) }
      #expect(await eventually { cancelled.count == 3 })
    }
  }

  @Test("that waits for its answer is not closed to make room") func room() async throws {
    let gate = Gate()
    let routes = [
      Route("/wait", .post) { request in
        await gate.pass()
        return Response(request.body)
      }, Route("/") { _ in .page("here\n") },
    ]
    try await withServer(routes, within: ServerLimits(connections: 3)) { server in
      async let answer = server.fetch("/wait", "--data", "first")
      #expect(await eventually { gate.waiting == 1 })
      // These connections take the other places, and are closed to make room.
      _ = try await server.shell("for _ in {1..20}; do exec {held}<>/dev/tcp/127.0.0.1/$1; done")
      #expect(try await server.fetch("/") == "here\n200")
      gate.open()
      let text = try await answer
      #expect(text == "first200")
    }
  }

  @Test("gets its answer from a server that stops, and no more after it") func drain() async throws {
    let gate = Gate()
    let wait = Route("/wait", .post) { request in
      await gate.pass()
      return Response(request.body)
    }
    let served = Counter()
    let quick = Route("/") { _ in
      served.add()
      return Response()
    }
    let server = try await Server.start(
      at: Endpoint("127.0.0.1:0"), routes: [wait, quick], limits: ServerLimits.patient)
    let post = "POST /wait HTTP/1.1\\r\\nContent-Length: 3\\r\\n\\r\\nabc"
    try await withTemporaryDirectory { folder in
      let (half, rest) = (folder.path(of: "half"), folder.path(of: "rest"))
      async let answer = server.talk(post + post)
      // The rest of this request's head arrives when the server is already stopping.
      async let late = server.shell(
        """
        exec 3<>/dev/tcp/127.0.0.1/$1; printf 'POST /wait HTTP/1.1\\r\\n' >&3; : >\(half)
        until [ -e \(rest) ]; do sleep 0.02; done; printf 'Content-Length: 3\\r\\n\\r\\nabc' >&3; cat <&3
        """)
      #expect(await eventually { gate.waiting == 1 && Files.exists(half) })
      // The server has one thread. If it answers another connection, it has read the half of this head.
      #expect(try await server.fetch("/") == "200")
      async let idle = server.talk("GET / HTTP/1.1\\r\\n\\r\\n")
      #expect(await eventually { served.count == 2 })
      async let stop: Void = server.stop(within: .seconds(60))
      // This connection ends when the server begins to stop.
      _ = try await idle
      try folder.write([], to: "rest")
      let refusal = try await late
      #expect(refusal.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
      gate.open()
      let text = try await answer
      #expect(text.hasSuffix("\r\nConnection: close\r\n\r\nabc"))
      #expect(text.count(of: "HTTP/1.1 200") == 1)
      await stop
    }
  }

  @Test("is closed when the grace period of a stopping server is over") func impatience() async throws {
    let cancelled = Counter()
    let begun = Counter()
    let wait = Route("/wait", .post) { _ in
      begun.add()
      do { try await Task.sleep(for: .seconds(60)) } catch { cancelled.add() }
      return Response()
    }
    let server = try await Server.start(
      at: Endpoint("127.0.0.1:0"), routes: [wait], limits: ServerLimits.patient)
    async let answer = server.talk("POST /wait HTTP/1.1\\r\\nContent-Length: 3\\r\\n\\r\\nabc")
    #expect(await eventually { begun.count == 1 })
    await server.stop(within: .milliseconds(100))
    let text = try await answer
    #expect(text == "")
    #expect(await eventually { cancelled.count == 1 })
  }

  @Test("that waits for its route takes a few KB") func memory() async {
    // Runs in a process of its own, because other tests use memory, too.
    await #expect(processExitsWith: .success) {
      let gate = Gate()
      let wait = Route("/wait", .post, bodyLimit: 65_536) { _ in
        await gate.pass()
        return Response()
      }
      try await withServer([wait], within: ServerLimits(connections: 400)) { server in
        try await ConnectionTests.hold(64, server) {
          #expect(await eventually { gate.waiting == 64 })
          let before = try #require(ConnectionTests.privateBytes())
          try await ConnectionTests.hold(256, server) {
            #expect(await eventually { gate.waiting == 320 })
            let each = (try #require(ConnectionTests.privateBytes()) - before) / 256
            print("\(each) bytes for each connection that waits")
            #expect(each < 16_000)
          }
        }
        gate.open()
      }
    }
  }

  /// RssAnon of this process in bytes (proc_pid_status(5)).
  private static func privateBytes() -> Int? {
    let status = FileBytes.read(path: "/proc/self/status", maximum: 10_000).map {
      String(decoding: $0, as: UTF8.self)
    }
    let line = status?.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 }
  }
}

/// Holds up callers until it is opened, or until they are cancelled.
private final class Gate: Sendable {
  private let state = Mutex((isOpen: false, waiting: 0))

  var waiting: Int { state.withLock { $0.waiting } }

  func open() { state.withLock { $0.isOpen = true } }

  func pass() async {
    state.withLock { $0.waiting += 1 }
    while !state.withLock({ $0.isOpen }), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(20)) }
    state.withLock { $0.waiting -= 1 }
  }
}
