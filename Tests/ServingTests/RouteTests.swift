import Serving
import TestSupport
import Testing

@Suite("A route", .timeLimit(.minutes(5)))
struct RouteTests {
  /// Returns the request in its answer.
  private static let echo = Route("/echo", .post, bodyLimit: 5_000) { request in
    Response(
      request.body, as: "text/plain",
      fields: [("Echo", "\(request.target) \(request.value(of: "x-id") ?? "")")])
  }
  private static let routes = [
    echo, Route("/get") { _ in Response(Array("got".utf8)) },
    Route("/get", .post) { _ in Response(status: 204) },
    Route("/secret", .post, for: .bearer(token: "s3cret")) { _ in Response(Array("open".utf8)) },
    Route("/none", .post, for: .bearer(token: "")) { _ in Response() },
  ]
  private static let chunked = ["--header", "Transfer-Encoding: chunked"]

  @Test("gets the head and the whole body", arguments: [0, 1, 1_024, 5_000], [false, true])
  func body(length: Int, isChunked: Bool) async throws {
    try await withServer(Self.routes) { server in
      let body = String((0..<length).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) })
      let options = isChunked ? Self.chunked : []
      let run = try await Command("curl").run(
        [
          "-q", "-sSi", "--noproxy", "*", "--data-binary", "@-", "--header", "X-Id: 7",
          "http://\(server.endpoint)/echo?a=b",
        ] + options, input: Array(body.utf8))
      #expect(
        run.output.hasPrefix("HTTP/1.1 200 OK\r\nServer: push-enricher\r\nContent-Type: text/plain\r\n"))
      #expect(run.output.contains("\r\nContent-Length: \(length)\r\nEcho: /echo?a=b 7\r\n\r\n"))
      #expect(run.output.hasSuffix("\r\n\r\n\(body)"))
    }
  }

  @Test("answers several requests on a connection, in their order") func pipeline() async throws {
    let order = Counter()
    let slow = Route("/slow", .post) { request in
      if order.add() == 1 { try? await Task.sleep(for: .milliseconds(200)) }
      return Response(request.body)
    }
    try await withServer(Self.routes + [slow]) { server in
      func post(_ path: String, _ body: String, _ field: String = "") -> String {
        "POST \(path) HTTP/1.1\\r\\n\(field)Content-Length: \(body.utf8.count)\\r\\n\\r\\n\(body)"
      }
      let output = try await server.talk(
        post("/slow", "one") + post("/slow", "two") + "HEAD /get HTTP/1.1\\r\\n\\r\\n"
          + post("/echo", "three", "Connection: close\\r\\n") + post("/echo", "four"))
      let bodies = output.split(separator: "HTTP/1.1 200 OK\r\n").map {
        $0.split(separator: "\r\n\r\n").dropFirst().joined()
      }
      #expect(bodies == ["one", "two", "", "three"], "\(output)")
      #expect(output.count(of: "Connection: close") == 1)
      // Many small requests, several of which arrive in one piece.
      let many = String(repeating: "GET /get HTTP/1.1\\r\\n\\r\\n", count: 500)
      let answers = try await server.talk(many + "GET /get HTTP/1.0\\r\\n\\r\\n")
      #expect(answers.count(of: "\r\n\r\ngot") == 501)
    }
  }

  @Test("answers one request and closes, if the client wants that or cannot keep connections")
  func closing() async throws {
    try await withServer(Self.routes) { server in
      for request in [
        "GET /get HTTP/1.0\\r\\n\\r\\n", "GET /get HTTP/1.0\\r\\nConnection: keep-alive\\r\\n\\r\\n",
        "GET /get HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n",
        "GET /get HTTP/1.1\\r\\nConnection: upgrade\\r\\nUpgrade: h2c\\r\\n\\r\\n",
      ] {
        let output = try await server.talk(request)
        #expect(output.hasSuffix("\r\nConnection: close\r\n\r\ngot"), "\(request)")
      }
    }
  }

  @Test("for GET also answers HEAD, and 405 names the other methods") func methods() async throws {
    try await withServer(Self.routes) { server in
      let head = try await server.fetch("/get", "--head")
      #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n") && head.hasSuffix("\r\nContent-Length: 3\r\n\r\n200"))
      #expect(try await server.fetch("/get", "--data", "x") == "204")
      #expect(try await server.fetch("/get", "--request", "DELETE") == "use GET or POST\n405")
      #expect(try await server.fetch("/get", "-iX", "DELETE").contains("\r\nAllow: GET, HEAD, POST\r\n"))
      #expect(try await server.fetch("/echo", "-i").contains("\r\nAllow: POST\r\n"))
      #expect(try await server.fetch("/echo") == "use POST\n405")
      #expect(try await server.fetch("/echo/") == "no such path: try /echo, /get, /none, /secret\n404")
    }
  }

  @Test("accepts no longer body, whether its length is announced or not") func tooLarge() async throws {
    try await withServer(Self.routes) { server in
      let body = String(repeating: "a", count: 5_001)
      #expect(try await server.fetch("/echo", "--data", body) == "the body limit is 5000 bytes\n413")
      let chunked = try await server.fetch("/echo", "--data", body, Self.chunked[0], Self.chunked[1])
      #expect(chunked == "the body limit is 5000 bytes\n413")
      // The answer comes at once, before any of the body is sent.
      for length in ["5001", "99999999999999999"] {
        let output = try await server.talk(
          "POST /echo HTTP/1.1\\r\\nExpect: 100-continue\\r\\nContent-Length: \(length)\\r\\n\\r\\n")
        #expect(output.hasPrefix("HTTP/1.1 413 "), "\(output)")
      }
    }
  }

  /// RFC 9112 section 3.2.2.
  @Test(
    "is also found by a whole URL, whose host counts",
    arguments: [
      ("http://127.0.0.1/echo?a=b", 200), ("HTTP://localhost:80/echo", 200), ("https://[::1]/echo", 200),
      ("http://127.0.0.1", 404), ("http://127.0.0.1?/echo", 404), ("http://evil.example/echo", 421),
      ("http:///echo", 421), ("ftp://127.0.0.1/echo", 404),
    ])
  func absolute(target: String, status: Int) async throws {
    try await withServer(Self.routes) { server in
      let output = try await server.talk(
        "POST \(target) HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\nContent-Length: 3\\r\\n\\r\\nabc"
      )
      #expect(output.hasPrefix("HTTP/1.1 \(status) "), "\(output)")
      // The field does not count.
      let other = try await server.talk(
        "HEAD http://127.0.0.1/get HTTP/1.1\\r\\nHost: evil.example\\r\\nConnection: close\\r\\n\\r\\n")
      #expect(other.hasPrefix("HTTP/1.1 200 "), "\(other)")
    }
  }

  /// RFC 9112 section 5.
  @Test("gets the values of fields without the spaces around them") func spaces() async throws {
    try await withServer(Self.routes) { server in
      let output = try await server.talk(
        "POST /echo HTTP/1.1\\r\\nContent-Length: 3 \\r\\nExpect: 100-continue \\r\\nX-Id:  7 \\t\\r\\nConnection: close \\r\\n\\r\\nabc"
      )
      #expect(output.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"), "\(output)")
      #expect(output.hasSuffix("\r\nEcho: /echo 7\r\nConnection: close\r\n\r\nabc"), "\(output)")
    }
  }

  @Test("sends 100 Continue if the client waits for it") func expectation() async throws {
    try await withServer(Self.routes) { server in
      let answer = try await server.fetch("/echo", "-i", "--data", "abc", "--header", "Expect: 100-continue")
      #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
      #expect(answer.hasSuffix("\r\n\r\nabc200"))
      #expect(try await server.fetch("/echo", "--data", "abc", "--header", "Expect: x").hasSuffix("\n417"))
    }
  }

  @Test(
    "answers only clients with the token",
    arguments: [
      ("Bearer s3cret", 200), ("bearer s3cret", 200), ("Bearer s3creT", 401), ("Bearer s3cre", 401),
      ("Bearer s3cret2", 401), ("Bearer ", 401), ("Bearer", 401), ("Basic s3cret", 401), ("s3cret", 401),
      ("", 401),
    ])
  func token(field: String, status: Int) async throws {
    try await withServer(Self.routes) { server in
      let answer = try await server.fetch("/secret", "--data", "x", "--header", "Authorization: \(field)")
      #expect(answer.hasSuffix("\(status)"))
      // An empty token admits nobody.
      let none = try await server.fetch("/none", "-i", "--data", "x", "--header", "Authorization: \(field)")
      #expect(none.contains("\r\nWWW-Authenticate: Bearer\r\n") && none.hasSuffix("\n401"))
    }
  }

  @Test(
    "refuses requests that can be understood in two ways",
    arguments: [
      ("Content-Length: 3\\r\\nTransfer-Encoding: chunked\\r\\n", 400),
      ("Transfer-Encoding: chunked\\r\\nContent-Length: 3\\r\\n", 400),
      ("Content-Length: 3\\r\\nContent-Length: 4\\r\\n", 400), ("Content-Length: -3\\r\\n", 400),
      ("Content-Length: three\\r\\n", 400), ("Transfer-Encoding: gzip\\r\\n", 501),
      ("Transfer-Encoding: gzip, chunked\\r\\n", 501), ("Bad Name: x\\r\\n", 400),
    ])
  func ambiguous(fields: String, status: Int) async throws {
    try await withServer(Self.routes) { server in
      let output = try await server.talk(
        "POST /echo HTTP/1.1\\r\\n\(fields)\\r\\n3\\r\\nabc\\r\\n0\\r\\n\\r\\n")
      #expect(output.hasPrefix("HTTP/1.1 \(status) "), "\(output)")
      #expect(output.count(of: "\r\nServer: ") == 1)
    }
  }
}
