import Fetching
import CLinux
import Glibc
import Misbehaving
import Supporting
import TestSupport
import Testing

@testable import Fetching

/// Bytes that arrive before they are requested.
@Suite("Surplus of answers", .timeLimit(.minutes(5)))
struct SurplusTests {
  private static let poison = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 6\r\n\r\npoison".utf8)
  private static let victim = Behaviour.serve(Response(.bytes(Array("honest".utf8)), as: "image/png"))

  /// Responses whose length can be chosen.
  static let answers: [(name: String, make: @Sendable (_ filling: Int) -> Response)] = [
    ("of known length", { Response(.padded(first: [1], length: $0), as: "image/png") }),
    ("in a chunk", { Response(.padded(first: [1], length: $0), as: "image/png", framing: .chunked(1)) }),
    ("without a body", { Response(as: "image/png", fields: [filler($0)]) }),
    ("204", { Response(status: 204, fields: [filler($0)]) }),
    ("redirect", { Response(status: 302, fields: [filler($0), Response.Field("Location", "?2")]) }),
  ]

  private static func filler(_ count: Int) -> Response.Field {
    Response.Field("X-Filler", String(repeating: "a", count: max(1, count)))
  }

  /// The response with exactly this size.
  private static func sized(_ size: Int, _ make: (Int) -> Response) async throws -> Response {
    var filling = size / 2
    var excess = 0
    repeat {
      filling -= excess
      excess = try await make(filling).bytes(followedBy: []).count - size
    } while excess != 0
    return make(filling)
  }

  /// libcurl reads 16 KB at a time here, and records of OpenSSL are that long.
  @Test(
    "surplus bytes are never an answer to the next request, wherever they start",
    arguments: [false, true], [300, 8_191, 8_192, 16_383, 16_384, 16_385, 32_768])
  func sameWrite(hasTLS: Bool, size: Int) async throws {
    for (name, make) in Self.answers {
      let response = try await Self.sized(size, make)
      let attack = Behaviour.followed(response, by: Self.poison)
      let first =
        response.status == 302
        ? Behaviour.failing(first: 1, by: attack, then: Self.victim) : attack
      try await withHTTP1Server(hasTLS: hasTLS) { server, caFile in
        for buffer in [8_192, 16_384] {
          let fetcher = try server.fetcher {
            $0.certificateFile = caFile
            $0.receiveBufferBytes = buffer
          }
          let attacked = await fetcher.get(server.url(first))
          #expect(attacked.failure == nil, "\(name)")
          if response.status == 302, buffer == 8_192 { #expect(attacked.body == Array("honest".utf8)) }
          for _ in 0..<3 {
            #expect(await fetcher.get(server.url(Self.victim)).body == Array("honest".utf8), "\(name)")
          }
        }
      }
    }
  }

  @Test("an idle connection on which bytes arrive is closed", arguments: [false, true])
  func idle(hasTLS: Bool) async throws {
    let attack = Behaviour.followed(
      Response(.bytes([1]), as: "image/png"), by: Self.poison, after: .milliseconds(100))
    try await withHTTP1Server(hasTLS: hasTLS) { server, caFile in
      let fetcher = try server.fetcher { $0.certificateFile = caFile }
      #expect(await fetcher.get(server.url(attack)).body == [1])
      // No fetch runs meanwhile.
      #expect(await eventually { server.openConnections == 0 })
      for _ in 0..<3 { #expect(await fetcher.get(server.url(Self.victim)).body == Array("honest".utf8)) }
      #expect(server.connections == 2)
    }
  }

  @Test(
    "surplus on many connections at once does not affect other fetches from the same host",
    arguments: [false, true])
  func company(hasTLS: Bool) async throws {
    let delays = [0, 1, 2, 5, 20, 100].map { Duration.milliseconds($0) }
    try await withHTTP1Server(hasTLS: hasTLS) { server, caFile in
      let fetcher = try server.fetcher { $0.certificateFile = caFile }
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<120 {
          let attack = Behaviour.followed(
            Response(.bytes([1]), as: "image/png"), by: Array("poison".utf8), after: delays[number % 6])
          group.addTask { _ = await fetcher.get(server.url(attack)) }
          group.addTask {
            let fetch = await fetcher.get(server.url(Self.victim))
            // Bytes that arrive between a request and its response look like the response. These
            // are not one.
            #expect(fetch.body == Array("honest".utf8) || fetch.failure == .responseInvalid)
          }
        }
      }
    }
  }

  @Test("connections without surplus are reused", arguments: [false, true])
  func reuse(hasTLS: Bool) async throws {
    try await withHTTP1Server(hasTLS: hasTLS) { server, caFile in
      let fetcher = try server.fetcher { $0.certificateFile = caFile }
      let behaviours =
        [Self.victim, .serve(.noContent), .redirectChain(hops: 2, then: Self.victim)]
        + [Response.Framing.contentLength, .chunked(1_000)].flatMap { framing in
          [1, 8_192, 16_384, 50_000].map { size in
            .serve(Response(.padded(first: [1], length: size), as: "image/png", framing: framing))
          }
        }
      for _ in 0..<20 {
        for behaviour in behaviours { #expect(await fetcher.get(server.url(behaviour)).failure == nil) }
      }
      #expect(server.connections == 1)
    }
  }

  @Test("bytes that arrived between a response and the next request end the connection")
  func begin() throws {
    let ends = Connection.Ends(localPort: 1, address: try #require(IPAddress("127.0.0.1")), port: 2)
    for (isHTTP2, isPending, hasCome) in [
      (false, false, false), (false, false, true), (false, true, false), (true, false, true),
    ] {
      try withConnection { one, other in
        let connection = Connections(try SocketWatch()).add(one)
        // Before the first request, TLS sends session tickets.
        #expect(unsafe write(other, "a", 1) == 1)
        connection.begin(between: ends, isHTTP2: isHTTP2, isPending: isPending)
        var byte: UInt8 = 0
        #expect(unsafe recv(one, &byte, 1, 0) == 1)
        if hasCome { #expect(unsafe write(other, "poison", 6) == 6) }
        connection.begin(between: ends, isHTTP2: isHTTP2, isPending: isPending)
        let isEnded = !isHTTP2 && (isPending || hasCome)
        let count = unsafe recv(one, &byte, 1, Int32(MSG_DONTWAIT))
        #expect(count == (isEnded ? 0 : hasCome ? 1 : -1))
        #expect((unsafe send(one, "b", 1, Int32(MSG_NOSIGNAL)) == 1) == !isEnded)
      }
    }
  }
}
