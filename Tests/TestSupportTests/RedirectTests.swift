import Misbehaving
import TestSupport
import Testing

@Suite("HostileServer, redirects")
struct RedirectTests {
  private static let jpeg = Behaviour.serve(Response(.bytes(picture), as: "image/jpeg"))

  @Test("chains have the given length", arguments: [0, 1, 5])
  func chains(hops: Int) async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.redirectChain(hops: hops, then: Self.jpeg)
      let run = try await curl(server.url(behaviour), ["-L", "-w", "%{stderr}%{num_redirects}"])
      #expect(run.standardOutput == picture)
      #expect(run.standardError == "\(hops)")
      #expect(server.tally(of: behaviour).requests == hops + 1)
    }
  }

  @Test("loops do not end", arguments: [Behaviour.redirectLoop, .redirectForever])
  func loops(behaviour: Behaviour) async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(behaviour), ["-L", "--max-redirs", "7"])
      #expect(run.exitStatus == CurlExit.tooManyRedirects)
      #expect(server.tally(of: behaviour).requests == 8)
      let targets = Set(server.requests(for: behaviour).map(\.target))
      #expect(targets.count == (behaviour == .redirectLoop ? 1 : 8))
    }
  }

  @Test("Location is sent as given", arguments: [301, 302, 303, 307, 308])
  func locations(status: Int) async throws {
    try await withHostileServer { server in
      let absolute = try await curl(server.url(.redirect(to: server.url(Self.jpeg), status: status)), ["-L"])
      #expect(absolute.standardOutput == picture)
      let relative = try await curl(server.url(.redirect(to: "../serve-1/x", status: status)), ["-L"])
      #expect(relative.standardOutput == picture)
      let file = try await curl(server.url(.redirect(to: "file:///etc/passwd", status: status)), ["-L"])
      #expect(file.exitStatus == CurlExit.unsupportedProtocol)
    }
  }

  @Test("without Location there is nowhere to go", arguments: [300, 302, 304])
  func nowhere(status: Int) async throws {
    try await withHostileServer { server in
      let run = try await curl(server.url(.redirectNowhere(status: status)), ["-L", "-w", "%{http_code}"])
      #expect(run.output == "\(status)")
      #expect(run.exitStatus == 0)
    }
  }

  @Test("a client that follows redirects reads their bodies to the end")
  func bodies() async throws {
    try await withHostileServer { server in
      let behaviour = Behaviour.redirectWithBody(to: server.url(Self.jpeg), bytes: 300_000_000)
      let run = try await curl(server.url(behaviour), ["-L"])
      #expect(run.standardOutput == picture)
      #expect(await eventually { server.tally(of: behaviour).bytesSent > 300_000_000 })
    }
  }
}
