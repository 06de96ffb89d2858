import Serving
import TestSupport
import Testing

@Suite("Pages", .timeLimit(.minutes(5)))
struct PageTests {
  @Test("show the state at the time of the request") func page() async throws {
    let counter = Counter()
    let routes = [
      Route("/count") { _ in .page("\(counter.add())\n") },
      Route("/ill") { _ in .page("ill\n", status: 503) },
    ]
    try await withServer(routes) { server in
      let first = try await server.fetch("/count")
      #expect(first == "1\n200")
      #expect(try await server.fetch("/count?verbose") == "2\n200")
      #expect(try await server.fetch("/ill") == "ill\n503")
      #expect(try await server.fetch("/count", "--head").contains("Content-Length: 2\r\n"))
      #expect(counter.add() == 4)
    }
  }

  @Test("that do not exist are answered with the existing ones, and wrong methods with the right ones")
  func mistakes() async throws {
    try await withServer([Route("/a") { _ in .page("") }, Route("/b") { _ in .page("") }]) { server in
      let missing = try await server.fetch("/")
      #expect(missing == "no such path: try /a, /b\n404")
      #expect(try await server.fetch("/a", "--request", "POST") == "use GET\n405")
      #expect(try await server.fetch("/a", "--data", "x=y").hasSuffix("\n405"))
      #expect(try await server.fetch("/a", "-i", "--request", "PUT").contains("\r\nAllow: GET, HEAD\r\n"))
    }
  }

  @Test("have a type, and headers that let a browser do almost nothing with them") func headers() async throws
  {
    let routes = [
      Route("/metrics") { _ in .page("", as: "text/x-metrics") },
      Route("/json") { _ in .page("{}", as: "application/json") },
      Route("/html") { _ in .page(Array("<p>".utf8), as: "text/html", nonce: "abc") },
    ]
    let closed =
      "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    try await withServer(routes) { server in
      for (path, type, policy) in [
        ("/metrics", "text/x-metrics", "\(closed)\r\n"),
        ("/json", "application/json", "\(closed)\r\n"),
        (
          "/html", "text/html",
          "\(closed); connect-src 'self'; img-src data:; script-src 'nonce-abc'; style-src 'nonce-abc'\r\n"
        ),
        ("/none", "text/plain; charset=utf-8", "\(closed)\r\n"),
      ] {
        let head = try await server.fetch(path, "--head")
        #expect(head.contains("\r\nContent-Type: \(type)\r\n"))
        #expect(head.contains("\r\n\(policy)"))
        #expect(head.contains("\r\nX-Content-Type-Options: nosniff\r\n"))
        #expect(head.contains("\r\nCache-Control: no-store\r\n"))
        #expect(head.hasPrefix("HTTP/1.1 \(path == "/none" ? 404 : 200) "))
        #expect(head.contains("\r\nServer: push-enricher\r\n"))
        #expect(head.contains("\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n"))
      }
    }
  }

  @Test("are not served for another host") func host() async throws {
    try await withServer([Route("/") { _ in .page("here") }]) { server in
      let answer = try await server.fetch("/", "--header", "Host: evil.example")
      #expect(answer == "use this server's own address: the request names another host\n421")
    }
  }

  @Test("are not served on a port that is taken, and are once it is free") func taken() async throws {
    let first = try await Server.start(at: Endpoint("127.0.0.1:0"), routes: [])
    await #expect(throws: ServingError.endpointTaken(first.endpoint)) {
      try await Server.start(at: first.endpoint, routes: [])
    }
    await first.stop()
    // Another process may have taken the port meanwhile, but not for long.
    #expect(
      try await eventually {
        guard let second = try? await Server.start(at: first.endpoint, routes: []) else { return false }
        await second.stop()
        return true
      })
  }

  @Test("are not served on an address of another machine") func elsewhere() async throws {
    // TEST-NET-1, RFC 5737.
    let endpoint = try Endpoint("192.0.2.1:8080")
    await #expect(
      throws: ServingError.cannotListen(endpoint, detail: "Cannot assign requested address")
    ) { try await Server.start(at: endpoint, routes: []) }
  }
}
