import Fetching
import Glibc
import Misbehaving
import TestSupport
import Testing

/// Successful fetches over HTTP.
@Suite("Fetching what works", .timeLimit(.minutes(5)))
struct ServingTests {
  private static let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  @Test(
    "a body arrives unchanged, however its end is marked",
    arguments: [Response.Framing.contentLength, .chunked(1_000), .untilClose])
  func framings(framing: Response.Framing) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.serve(
        Response(.bytes(Self.body), as: "image/jpeg; charset=x", framing: framing))
      let fetch = try await server.fetch(
        server.url(behaviour, file: "a%20b.jpg?c=d"), into: Sink(showsEnd: true))
      let head = try fetch.result.get()
      #expect(head.status == 200)
      #expect(head.contentType == "image/jpeg; charset=x")
      #expect(head.contentLength == (framing == .contentLength ? 100_000 : nil))
      #expect(fetch.body == Self.body)
      #expect(fetch.begun == 1)
      #expect(fetch.largestPiece <= 16_384)
      #expect(fetch.steps == [Step(200)])
      #expect(fetch.journal.phase == .done)
      #expect(fetch.journal.received == 100_000)
      #expect(fetch.journal.announced == head.contentLength)
      #expect(fetch.journal.hops.map(\.received) == [100_000])
      #expect(fetch.journal.hops.map(\.url) == [server.url(behaviour, file: "a%20b.jpg?c=d")])
      #expect(server.requests(for: behaviour).map { $0.target.suffix(14) } == ["/a%20b.jpg?c=d"])
    }
  }

  @Test(
    "loopback is reached over each family that this machine has",
    arguments: ["127.0.0.1"] + (Files.exists("/proc/net/if_inet6") ? ["::1"] : []))
  func families(host: String) async throws {
    try await withHostileServer(on: host) { server in
      let fetch = try await server.fetch(server.url(.serve(Response(.bytes([1]), as: "image/png"))))
      #expect(fetch.status == 200)
      #expect(
        fetch.journal.hops.map(\.address) == [
          host == "::1" ? "[::1]:\(server.port)" : "127.0.0.1:\(server.port)"
        ])
    }
  }

  @Test("the steps of a hop are timed in their order")
  func timings() async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(server.url(.serve(Response(.bytes([1]), as: "image/png"))))
      let timings = try #require(fetch.journal.hops.first?.timings)
      let connect = try #require(timings.connect)
      let firstByte = try #require(timings.firstByte)
      #expect(timings.dns == nil)
      #expect(timings.tls == nil)
      #expect(connect <= firstByte)
      #expect(firstByte <= timings.total)
    }
  }

  @Test(
    "a 2xx response without a body has an empty body",
    arguments: [Response.noContent, Response(status: 200), Response(status: 205)])
  func empty(response: Response) async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(server.url(.serve(response)))
      #expect(fetch.status == response.status)
      #expect(fetch.body.isEmpty)
      #expect(fetch.begun == 1)
    }
  }

  @Test(
    "the same length twice counts as one length, and bytes after the body are left alone",
    arguments: [(["4", "4"], 4), (["3"], 3)])
  func lengths(announced: [String], received: Int) async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(
        server.url(.announcing(announced, Response(.bytes([1, 2, 3, 4]), as: "image/png"))))
      #expect(fetch.status == 200)
      #expect(fetch.body == Array([1, 2, 3, 4].prefix(received)))
    }
  }

  @Test("headers of an interim response do not count for the final response")
  func interim() async throws {
    try await withHostileServer { server in
      let hint = "HTTP/1.1 103 Early Hints\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
      let answer = "HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\nContent-Length: 2\r\n\r\nab"
      let fetch = try await server.fetch(server.url(.raw(Array((hint + answer).utf8))))
      #expect(try fetch.result.get().contentType == "image/gif")
      #expect(fetch.body == Array("ab".utf8))
    }
  }

  @Test("a trailer changes nothing")
  func trailer() async throws {
    try await withHostileServer { server in
      let head = "HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\nTransfer-Encoding: chunked\r\n\r\n"
      let body = "2\r\nab\r\n0\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
      let fetch = try await server.fetch(server.url(.raw(Array((head + body).utf8))))
      #expect(try fetch.result.get().contentType == "image/gif")
      #expect(fetch.body == Array("ab".utf8))
    }
  }

  @Test("connections are reused by the same fetcher, and by no other")
  func keepAlive() async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.serve(Response(.bytes([1]), as: "image/png"))
      let fetcher = try server.fetcher()
      for _ in 0..<3 { #expect(await fetcher.get(server.url(behaviour)).status == 200) }
      #expect(server.tally(of: behaviour).connections == 1)
      #expect(server.tally(of: behaviour).requests == 3)
      let stranger = try await server.fetch(server.url(behaviour))
      #expect(stranger.status == 200)
      #expect(server.tally(of: behaviour).connections == 2)
    }
  }

  /// libcurl asks again by itself, on a new connection. The bytes that arrived on that connection
  /// must not count for the headers of the next response.
  @Test("a kept connection that was closed meanwhile does no harm, and neither do the bytes on the next one")
  func staleConnection() async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher()
      #expect(await fetcher.get(server.url(.serve(Response(.bytes([1]))))).steps == [Step(200)])
      let large = Response(.padded(first: [], length: 200_000))
      let closing = Behaviour.failing(first: 1, by: .raw([]), then: .serve(large))
      #expect(await fetcher.get(server.url(closing)).steps == [Step(200)])
      #expect(server.tally(of: closing).requests == 2)
      // More than is read at once.
      let fields = (0..<300).map { Response.Field("X-Field-\($0)", String(repeating: "a", count: 80)) }
      let last = Behaviour.serve(Response(.bytes([1, 2, 3]), fields: fields))
      #expect(await fetcher.get(server.url(last)).steps == [Step(200)])
      #expect(server.connections == 2)
    }
  }

  @Test("a fetcher that is released closes its connections")
  func closing() async throws {
    try await withHostileServer { server in
      let fetch = try await server.fetch(server.url(.serve(Response(.bytes([1])))))
      #expect(fetch.status == 200)
      #expect(await eventually { server.openConnections == 0 })
    }
  }

  @Test("a request has these headers and no others")
  func request() async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.serve(Response(.bytes([1])))
      _ = try await server.fetch(server.url(behaviour))
      let request = try #require(server.requests(for: behaviour).first)
      #expect(request.method == "GET")
      #expect(request.fields.map(\.name) == ["Host", "User-Agent", "Accept", "Accept-Encoding"])
      #expect(request.value(of: "Host") == "127.0.0.1:\(server.port)")
      #expect(request.value(of: "User-Agent") == "push-enricher")
      #expect(request.value(of: "Accept-Encoding") == "identity")
      // A server that chooses by Accept must not send formats that iOS cannot show.
      let accept = try #require(request.value(of: "Accept"))
      #expect(accept.contains("image/jpeg"))
      #expect(!accept.contains("webp"))
      #expect(!accept.contains("avif"))
    }
  }
}
