import Serving
import Synchronization
import TestSupport
import Testing

/// What a route may refuse before it has read a body.
@Suite("Admission to a route", .timeLimit(.minutes(5)))
struct AdmissionTests {
  @Test("is refused by the head, before the client sends the body") func head() async throws {
    let route = Route(
      "/a", .post, bodyLimit: 100_000,
      unless: { $0.value(of: "x-busy") == nil ? nil : .page("busy", status: 503) },
      { Response($0.body) })
    try await withServer([route]) { server in
      let busy = try await server.talk(
        "POST /a HTTP/1.1\\r\\nX-Busy: 1\\r\\nExpect: 100-continue\\r\\nContent-Length: 99999\\r\\n\\r\\n")
      #expect(busy.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n") && busy.hasSuffix("\r\n\r\nbusy"))
      #expect(try await server.fetch("/a", "--data", "free") == "free200")
    }
  }

  @Test("ends where bodies that are held fill their room, and begins again when those are answered")
  func room() async throws {
    let (arrived, gate) = (Counter(), Counter())
    let slow = Route("/a", .post, bodyLimit: 10_000, in: BodyRoom(bytes: 1_000)) { request in
      if request.body.count > 500, arrived.add() == 1 { _ = await eventually { gate.count > 0 } }
      return Response(request.body)
    }
    try await withServer([slow]) { server in
      let long = String(repeating: "a", count: 900)
      async let first = server.fetch("/a", "--data", long)
      #expect(await eventually { arrived.count == 1 })
      let refused = try await server.fetch("/a", "--data", String(repeating: "b", count: 200))
      #expect(refused.hasSuffix("\n503"))
      // A body that is announced but never sent takes no room.
      async let announced = server.shell(
        #"exec 3<>/dev/tcp/127.0.0.1/$1; printf 'POST /a HTTP/1.1\r\nContent-Length: 9999\r\n\r\n' >&3; sleep 1"#
      )
      #expect(try await server.fetch("/a", "--data", "short") == "short200")
      gate.add()
      #expect(try await first == "\(long)200")
      for _ in 0..<5 { #expect(try await server.fetch("/a", "--data", long) == "\(long)200") }
      _ = try await announced
    }
  }

  @Test("of each answer, the status is counted, and 499 for a client that has gone") func count() async throws
  {
    let counted = Statuses()
    try await withTemporaryDirectory { folder in
      let never = Route("/never") { _ in
        _ = try? folder.write([], to: "begun")
        try? await Task.sleep(for: .seconds(60))
        return Response()
      }
      let server = try await Server.start(
        at: Endpoint("127.0.0.1:0"), routes: [never, Route("/get") { _ in Response() }], limits: .patient,
        counting: { status in counted.list.withLock { $0.append(status) } })
      _ = try await server.fetch("/get")
      _ = try await server.fetch("/none")
      _ = try await server.shell(
        """
        exec 3<>/dev/tcp/127.0.0.1/$1; printf 'GET /never HTTP/1.1\\r\\n\\r\\n' >&3
        until [ -e \(folder.path(of: "begun")) ]; do sleep 0.02; done
        """)
      #expect(await eventually { counted.list.withLock { $0 } == [200, 404, 499] })
      await server.stop()
    }
  }
}

/// What is counted if a client ends its connection.
@Suite("A client that goes away", .timeLimit(.minutes(5)))
struct DepartureTests {
  @Test("before its request is complete, or between two requests, counts as no answer") func uncounted()
    async throws
  {
    let counted = Statuses()
    let server = try await Server.start(
      at: Endpoint("127.0.0.1:0"), routes: [Route("/get") { _ in Response(Array("got".utf8)) }],
      limits: .patient, counting: { status in counted.list.withLock { $0.append(status) } })
    // The last connection is reset, because the rest of the answer is unread when it is closed.
    _ = try await server.shell(
      """
      for _ in {1..5}; do
      exec 3<>/dev/tcp/127.0.0.1/$1; printf 'GET /get HTTP/1.1\\r\\n' >&3; exec 3>&-
      exec 3<>/dev/tcp/127.0.0.1/$1; printf 'GET /get HTTP/1.1\\r\\nContent-Length: 9\\r\\n\\r\\nabc' >&3; exec 3>&-
      exec 3<>/dev/tcp/127.0.0.1/$1; printf 'GET /get HTTP/1.1\\r\\n\\r\\n' >&3; read -rN 1 -u 3; exec 3>&-
      done
      """)
    _ = try await server.fetch("/none")
    #expect(await eventually { counted.list.withLock { $0.last } == 404 })
    #expect(counted.list.withLock { $0 } == [200, 200, 200, 200, 200, 404])
    await server.stop()
  }
}

private final class Statuses: Sendable {
  let list = Mutex<[Int]>([])
}
