import Serving
import TestSupport
import Testing

@Suite("The server of pages", .timeLimit(.minutes(3)))
struct PageServerTests {
  @Test("answers with the page as it is when it is asked for") func page() async throws {
    let counter = Counter()
    let pages: [String: Page.Maker] = [
      "/count": { Page("\(counter.add())\n") },
      "/ill": { Page(status: 503, "ill\n") },
    ]
    try await withPages(pages) { origin in
      let first = try await fetch(origin, "/count")
      #expect(first == "1\n200")
      #expect(try await fetch(origin, "/count?verbose") == "2\n200")
      #expect(try await fetch(origin, "/ill") == "ill\n503")
      #expect(try await fetch(origin, "/count", "--head").contains("Content-Length: 2\r\n"))
      #expect(counter.add() == 4)
    }
  }

  @Test("says which pages there are, and how to ask") func mistakes() async throws {
    try await withPages(["/a": { Page("") }, "/b": { Page("") }]) { origin in
      let missing = try await fetch(origin, "/")
      #expect(missing == "there are /a, /b\n404")
      #expect(try await fetch(origin, "/a", "--request", "POST") == "ask for it with GET\n405")
      #expect(try await fetch(origin, "/a", "--data", "x=y").hasSuffix("\n405"))
    }
  }

  @Test("says what a page is, and lets a browser do next to nothing with it") func headers() async throws {
    let pages: [String: Page.Maker] = [
      "/metrics": { Page("", as: .metrics) }, "/json": { Page("{}", as: .json) },
      "/html": { Page("<p>", as: .html(nonce: "abc")) },
    ]
    let closed =
      "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    try await withPages(pages) { origin in
      for (path, type, policy) in [
        ("/metrics", "text/plain; version=0.0.4; charset=utf-8", "\(closed)\r\n"),
        ("/json", "application/json", "\(closed)\r\n"),
        (
          "/html", "text/html; charset=utf-8",
          "\(closed); connect-src 'self'; img-src data:; script-src 'nonce-abc'; style-src 'nonce-abc'\r\n"
        ),
        ("/none", "text/plain; charset=utf-8", "\(closed)\r\n"),
      ] {
        let head = try await fetch(origin, path, "--head")
        #expect(head.contains("\r\nContent-Type: \(type)\r\n"))
        #expect(head.contains("\r\n\(policy)"))
        #expect(head.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
        #expect(head.contains("\r\nCache-Control: no-store\r\n"))
      }
    }
  }

  @Test("answers nobody who asks for another host") func host() async throws {
    try await withPages(["/": { Page("here") }]) { origin in
      let answer = try await fetch(origin, "/", "--header", "Host: evil.example")
      #expect(answer == "ask for it by the address that it is served at: this is not that host\n421")
    }
  }

  @Test("does not listen where another does, and does once it has ended") func taken() async throws {
    let first = try await PageServer.start(at: Endpoint("127.0.0.1:0"), pages: [:])
    await #expect(throws: ServingError.endpointTaken(first.endpoint)) {
      try await PageServer.start(at: first.endpoint, pages: [:])
    }
    await first.stop()
    // The port may have gone to somebody else meanwhile, but not for long.
    #expect(
      try await eventually {
        guard let second = try? await PageServer.start(at: first.endpoint, pages: [:]) else { return false }
        await second.stop()
        return true
      })
  }

  @Test("does not listen at an address of another machine") func elsewhere() async throws {
    // TEST-NET-1, RFC 5737.
    let endpoint = try Endpoint("192.0.2.1:8080")
    await #expect(
      throws: ServingError.cannotListen(endpoint, detail: "Cannot assign requested address")
    ) { try await PageServer.start(at: endpoint, pages: [:]) }
  }
}

/// Runs `body` with a server on a free port, and stops it however `body` ends. It waits for slow machines.
func withPages(
  _ pages: [String: Page.Maker], maximumConnectionAge: Duration = .seconds(60),
  _ body: (String) async throws -> Void
) async throws {
  let server = try await PageServer.start(
    at: Endpoint("127.0.0.1:0"), pages: pages, maximumConnectionAge: maximumConnectionAge)
  do {
    try await body("http://\(server.endpoint)")
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

/// The body of what is answered, and its status behind that.
func fetch(_ origin: String, _ path: String, _ options: String...) async throws -> String {
  try await Command("curl").run(
    ["-q", "-sS", "--noproxy", "*", "--write-out", "%{http_code}"] + options + [origin + path]
  ).output
}
