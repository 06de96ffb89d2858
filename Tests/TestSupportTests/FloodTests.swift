import TestSupport
import Testing

@Suite("HostileServer, streams without end")
struct FloodTests {
  @Test(
    "a client with a limit leaves early, and the server notices",
    arguments: [
      // libcurl allows some 300 kB of headers, and 100 kB to a line.
      (Behaviour.endlessHeaders, CurlExit.receiveFailed), (.endlessInterimResponses, CurlExit.receiveFailed),
      (.endlessHeaderLine, CurlExit.outOfMemory),
    ])
  func bounded(behaviour: Behaviour, status: Int32) async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(behaviour))
      #expect(run.exitStatus == status)
      try await expectNoConnections(to: server)
      #expect(server.tally(of: behaviour).bytesSent < 50_000_000)
    }
  }

  @Test(
    "a client without a limit gets more than it can want",
    arguments: [
      Behaviour.endlessTrailers, .endlessChunks(first: picture, as: "image/jpeg"),
      .endlessBody(first: picture, as: "image/jpeg"),
    ])
  func unbounded(behaviour: Behaviour) async throws {
    try await withHostileServer { server in
      _ = try await curl(server.url(behaviour), ["-o", "/dev/null", "--max-filesize", "1000000"], limit: 10)
      #expect(server.tally(of: behaviour).bytesSent > 50_000_000)
    }
  }

  @Test("a client that does not read is not sent more than the sockets hold")
  func backPressure() async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.endlessBody(first: [], as: "image/jpeg")
      let run = try await curl(server.url(behaviour), ["-o", "/dev/null", "--limit-rate", "1000"], limit: 2)
      #expect(run.exitStatus == CurlExit.timedOut)
      #expect(server.tally(of: behaviour).bytesSent < 50_000_000)
    }
  }

  /// Waits for the server to see the client's close, for ten seconds at most.
  private func expectNoConnections(to server: HostileServer) async throws {
    for _ in 0..<1000 where server.openConnections > 0 { try await Task.sleep(for: .milliseconds(10)) }
    #expect(server.openConnections == 0)
  }
}
