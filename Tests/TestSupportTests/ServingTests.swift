import Misbehaving
import TestSupport
import Testing

@Suite("HostileServer, well behaved")
struct ServingTests {
  @Test(
    "bytes arrive unchanged, whatever the framing",
    arguments: [Response.Framing.contentLength, .chunked(1000), .untilClose])
  func framings(framing: Response.Framing) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.serve(Response(.bytes(picture), as: "image/jpeg", framing: framing))
      let run = try await curl(server.url(behaviour), ["-w", "%{stderr}%{http_code} %{content_type}"])
      #expect(run.standardOutput == picture)
      #expect(run.standardError == "200 image/jpeg")
      #expect(server.tally(of: behaviour).requests == 1)
      #expect(await eventually { server.tally(of: behaviour).bytesSent > picture.count })
    }
  }

  @Test("files and padded bodies have their length")
  func bodies() async throws {
    try await withTemporaryDirectory { folder in
      let file = try folder.write(picture, to: "a.jpg")
      try await withHostileServer { server in
        let fromFile = try await curl(server.url(.serve(Response(.file(file)))))
        #expect(fromFile.standardOutput == picture)
        let padded = try await curl(
          server.url(.serve(Response(.padded(first: [1, 2, 3], length: 6_000_000)))))
        #expect(padded.standardOutput == [1, 2, 3] + [UInt8](repeating: 0, count: 5_999_997))
      }
    }
  }

  @Test("a connection is kept for the next request")
  func keepAlive() async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.serve(Response(.bytes(picture)))
      let run = try await curl(server.url(behaviour), [server.url(behaviour)])
      #expect(run.standardOutput == picture + picture)
      #expect(server.tally(of: behaviour).connections == 1)
      #expect(server.tally(of: behaviour).requests == 2)
      #expect(server.connections == 1)
    }
  }

  @Test(
    "statuses are sent as given",
    arguments: [
      (Response.noContent, "204 "), (.notFoundPage, "404 text/html; charset=utf-8"),
      (.serverError, "500 text/plain"),
      (.partialContent(picture, as: "image/jpeg"), "206 image/jpeg"),
    ])
  func statuses(response: Response, line: String) async throws {
    try await withHostileServer { server in
      let run = try await curl(
        server.url(.serve(response)), ["-o", "/dev/null", "-w", "%{http_code} %{content_type}"])
      #expect(run.output == line)
      #expect(run.exitStatus == 0)
    }
  }

  @Test("the requests of clients are recorded")
  func requests() async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.serve(.noContent)
      _ = try await curl(server.url(behaviour, file: "a.jpg"), ["-H", "Cookie: crumb"])
      let request = try #require(server.requests(for: behaviour).first)
      #expect(request.target == "/serve-1/a.jpg")
      #expect(request.value(of: "cookie") == "crumb")
      #expect(request.value(of: "range") == nil)
    }
  }

  @Test("the server listens on IPv6, and only there")
  func addresses() async throws {
    try await withHostileServer(on: "::1") { server in
      #expect(server.connections == 0)
      let run = try await curl(server.url(.serve(Response(.bytes(picture)))))
      #expect(run.standardOutput == picture)
      #expect(server.connections == 1)
    }
  }
}
