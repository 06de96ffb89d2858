import Misbehaving
import TestSupport
import Testing

/// Each attack against a client with known behavior, libcurl 7.88.
@Suite("HostileServer, hostile")
struct HostileTests {
  private static let jpeg = Response(.bytes(picture), as: "image/jpeg")
  private static let chunked = Response(.bytes(picture), as: "image/jpeg", framing: .chunked(1000))

  @Test(
    "silent and slow servers last until the client gives up",
    arguments: [
      Behaviour.silent, .silentAfterHeaders(jpeg), .stalling(chunked, after: 2000), .drippingHeaders,
      .drippingBody(jpeg),
    ])
  func slowness(behaviour: Behaviour) async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(behaviour), limit: 2)
      #expect(run.exitStatus == CurlExit.timedOut)
      #expect(run.standardOutput.count < 5000)
      #expect(await eventually { server.tally(of: behaviour).requests == 1 })
    }
  }

  @Test("a stalled body has started, a dripping one takes its time, and a late one arrives")
  func beginnings() async throws {
    try await withHostileServer { server in
      let stalled = try await curl(server.url(.stalling(Self.jpeg, after: 1234)), limit: 5)
      #expect(stalled.standardOutput == Array(picture.prefix(1234)))
      for framing in [Response.Framing.contentLength, .chunked(1000)] {
        let short = Response(.bytes([1, 2, 3, 4]), framing: framing)
        let dripped = try await curl(server.url(.drippingBody(short, every: .milliseconds(100))))
        #expect(dripped.standardOutput == [1, 2, 3, 4])
        #expect(dripped.duration >= .milliseconds(300))
      }
      let late = try await curl(server.url(.late(by: .milliseconds(300), .serve(Self.jpeg))))
      #expect(late.standardOutput == picture)
      #expect(late.duration >= .milliseconds(300))
    }
  }

  @Test("a TLS client gets no answer to its hello")
  func stallingTLS() async throws {
    try await withHostileServer { server in
      let run = try await curl(server.stallingTLSURL(), limit: 3)
      #expect(run.exitStatus == CurlExit.timedOut)
      #expect(await eventually { server.connections == 1 })
    }
  }

  @Test(
    "wrong lengths are sent as given",
    arguments: [
      (Behaviour.truncated(jpeg), CurlExit.partialFile, 5000),
      (.truncated(chunked), CurlExit.partialFile, 5000),
      (.announcing(["10001"], jpeg), CurlExit.partialFile, 10_000),
      (.announcing(["3"], jpeg), 0, 3),
      (.announcing(["-1"], jpeg), CurlExit.weirdReply, 0),
      // libcurl uses the last one.
      (.twoLengths(jpeg, other: 3), 0, 3),
      (.lengthAndChunked(jpeg), 0, 10_000),
      (.lengthAndChunked(chunked), 0, 10_000),
    ])
  func lengths(behaviour: Behaviour, status: Int32, bytes: Int) async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(behaviour))
      #expect(run.exitStatus == status)
      #expect(run.standardOutput == Array(picture.prefix(bytes)))
    }
  }

  @Test("a length beyond the limit is seen before the body")
  func hugeLength() async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(.hugeLength(as: "video/mp4")), ["--max-filesize", "1000000"])
      #expect(run.exitStatus == CurlExit.fileTooLarge)
    }
  }

  @Test(
    "connections are reset",
    arguments: [(Behaviour.reset, 0), (.resetHalfway(jpeg), 5000), (.resetHalfway(chunked), 5000)])
  func resets(behaviour: Behaviour, bytes: Int) async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(behaviour))
      #expect(run.exitStatus == CurlExit.receiveFailed)
      #expect(run.standardError.contains("reset by peer"))
      #expect(run.standardOutput == Array(picture.prefix(bytes)))
    }
  }

  @Test(
    "temporary failures end after the given number",
    arguments: [
      Behaviour.reset, .unavailable(502), .unavailable(503, retryAfter: "0"), .unavailable(504),
      .unavailable(429),
    ])
  func passingFailures(failure: Behaviour) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.failing(first: 2, by: failure, then: .serve(Self.jpeg))
      let run = try await curl(
        server.url(behaviour), ["--fail", "--retry", "2", "--retry-all-errors", "--retry-delay", "1"])
      #expect(run.exitStatus == 0)
      #expect(run.standardOutput == picture)
      #expect(server.tally(of: behaviour).requests == 3)
    }
  }

  @Test("Retry-After is sent as given")
  func retryAfter() async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(.unavailable(429, retryAfter: "120")), ["-i"])
      #expect(run.output.contains("HTTP/1.1 429 \r\nRetry-After: 120\r\n"))
    }
  }

  @Test(
    "bytes of no known protocol are sent",
    arguments: [(Behaviour.http09, CurlExit.unsupportedProtocol), (.garbage, 1)])
  func noProtocol(behaviour: Behaviour, status: Int32) async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(behaviour))
      #expect(run.exitStatus == status)
    }
  }

  @Test("the gzip bomb is small on the wire and large unpacked")
  func gzipBomb() async throws {
    try await withHostileServer { server in
      let url = server.url(.gzipBomb(as: "image/jpeg"))
      let sizes = ["-o", "/dev/null", "-w", "%{size_download}"]
      #expect(try await curl(url, sizes).output == "193834")
      let unpacked = try await Command("sh").run([
        "-c", "curl -q -sS --noproxy '*' --compressed '\(url)' | wc -c",
      ])
      #expect(unpacked.output == "200002892\n")
    }
  }
}
