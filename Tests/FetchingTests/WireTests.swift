import Fetching
import Misbehaving
import TestSupport
import Testing

/// How much a server may send as framing around a body.
@Suite("Bytes on the wire", .timeLimit(.minutes(5)))
struct WireTests {
  private static let head = Array(
    "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

  /// Each byte of the body has a kilobyte of chunk extension (RFC 9112 section 7.1.1), or a chunk
  /// of its own.
  @Test("a little body in a lot of framing is refused", arguments: [(1_000, 600), (0, 80_000)])
  func chunkFraming(extensionBytes: Int, chunks: Int) async throws {
    try await withHostileServer { server in
      let padding = extensionBytes == 0 ? "" : ";" + String(repeating: "x", count: extensionBytes)
      let chunk = Array("1\(padding)\r\na\r\n".utf8)
      let behaviour = Behaviour.raw(Self.head + Array(repeating: chunk, count: chunks).joined())
      let fetch = try await server.fetch(server.url(behaviour))
      #expect(fetch.failure == .responseInvalid)
      #expect(fetch.detail.hasPrefix("it wraps "))
      #expect(fetch.steps == [Step(200, error: .responseInvalid)])
      #expect(server.tally(of: behaviour).requests == 1)
    }
  }

  /// libcurl 7.88 reads the first digits after `HTTP/2` as the status, and continues with another
  /// head or with a body, where we would see neither.
  @Test(
    "chunks cannot hide behind a head that libcurl reads differently",
    arguments: [
      "HTTP/2103 200\r\nContent-Length: 1000", "HTTP/2\t103 200\r\nContent-Length: 1000",
      "HTTP/2103 302\r\nLocation: /\r\nContent-Length: 0", "HTTP/2200 304",
    ])
  func hiddenChunks(head: String) async throws {
    try await withHostileServer { server in
      let chunk = Array("1;\(String(repeating: "x", count: 1_000))\r\na\r\n".utf8)
      let behaviour = Behaviour.raw(
        Array("\(head)\r\n\r\n".utf8) + Self.head + Array(repeating: chunk, count: 600).joined())
      let fetch = try await server.fetcher().get(
        server.url(behaviour), until: .now + .seconds(30), under: [#"If-None-Match: "x""#])
      #expect(fetch.failure == .responseInvalid)
      #expect(server.tally(of: behaviour).requests == 1)
    }
  }

  /// Even if libcurl buffers much of what it has read until the transfer's next turn.
  @Test(
    "chunks of any sensible size are accepted", arguments: [64, 1_000, 10_000, 100_000],
    [8_192, 65_536, 262_144])
  func chunks(size: Int, buffer: Int) async throws {
    try await withHostileServer { server in
      // With the smallest chunks, long enough for twice the framing that any body may have.
      let length = size < 1_000 ? 1_500_000 : 3_000_000
      let response = Response(
        .padded(first: [1], length: length), as: "image/png", framing: .chunked(size))
      let fetcher = try server.fetcher {
        $0.receiveBufferBytes = buffer
        $0.maximumHeaderBytes = 16_384
      }
      let sink = Sink(isKept: false)
      let fetch = await fetcher.get(server.url(.serve(response)), into: sink)
      #expect(fetch.failure == nil)
      #expect(sink.received == length)
    }
  }

  /// While a head arrives, only the kernel knows how much of it. It has counted earlier responses, too.
  @Test(
    "a head in pieces after large bodies on the same connection is accepted",
    arguments: [Response.Framing.contentLength, .chunked(4_000)])
  func headInPieces(framing: Response.Framing) async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher()
      let large = Response(.padded(first: [1], length: 300_000), as: "image/png", framing: framing)
      for _ in 0..<2 {
        #expect(await fetcher.get(server.url(.serve(large)), into: Sink(isKept: false)).status == 200)
      }
      let photo = Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg")
      let pausing = Behaviour.pausingInHead(photo, for: .milliseconds(300))
      #expect(await fetcher.get(server.url(pausing), into: Sink()).failure == nil)
      #expect(server.connections == 1)
    }
  }

  @Test("a little body after a large one on the same connection is accepted")
  func keptConnection() async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher()
      let large = Behaviour.serve(Response(.padded(first: [1], length: 5_000_000), as: "video/mp4"))
      let small = Behaviour.serve(Response(.bytes([1]), as: "image/png", framing: .chunked(1)))
      #expect(await fetcher.get(server.url(large), into: Sink(isKept: false)).status == 200)
      #expect(await fetcher.get(server.url(small)).body == [1])
      #expect(server.connections == 1)
    }
  }

  /// libcurl 7.88 would append the line to the last header of the previous response, which is
  /// freed, if both had the same handle (curl issue 11101).
  @Test("a head that starts with a folded line is refused, also after another response")
  func foldedFirst() async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher()
      let photo = Behaviour.serve(Response(.bytes([1]), as: "image/png"))
      let folded = Behaviour.raw(
        Array("HTTP/1.1 200 OK\r\n folded: line\r\nContent-Length: 1\r\n\r\n\u{1}".utf8))
      for _ in 0..<3 {
        #expect(await fetcher.get(server.url(photo)).body == [1])
        let fetch = await fetcher.get(server.url(folded))
        #expect(fetch.failure == .responseInvalid)
      }
    }
  }
}
