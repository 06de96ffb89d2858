import Serving
import TestSupport
import Testing

/// A client that reaches the port can neither stop the server nor use up its memory.
@Suite("Hostile clients", .timeLimit(.minutes(5)))
struct HostileClientTests {
  private static let routes = [Route("/") { _ in .page("here\n") }]

  @Test("that hold connections open do not keep others out") func crowd() async throws {
    try await withServer(Self.routes) { server in
      // All connections stay open until the shell ends.
      let output = try await server.shell(
        """
        for _ in {1..200}; do exec {held}<>/dev/tcp/127.0.0.1/$1; printf 'GET / HTTP/1.1\\r\\n' >&"$held"; done
        exec 3<>/dev/tcp/127.0.0.1/$1; printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' >&3; cat <&3
        """)
      #expect(output.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(output.hasSuffix("\r\n\r\nhere\n"))
    }
  }

  @Test(
    "that never finish a request get 408, and are disconnected",
    arguments: [
      "GET / HTTP/1.1\\r\\n", "GET / HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 9\\r\\n\\r\\nabc",
      "GET / HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n3\\r\\nabc\\r\\n",
    ])
  func silence(request: String) async throws {
    try await withServer(Self.routes, within: ServerLimits(transfer: .milliseconds(200))) { server in
      // `cat` ends when the server has closed the connection.
      let output = try await server.talk(request)
      #expect(output.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
      #expect(output.count(of: "HTTP/1.1") == 1)
    }
  }

  @Test("that say nothing are disconnected without an answer") func idleness() async throws {
    try await withServer(Self.routes, within: ServerLimits(idle: .milliseconds(100))) { server in
      let output = try await server.talk("")
      #expect(output == "")
      #expect(try await eventually { try await server.fetch("/") == "here\n200" })
    }
  }

  @Test(
    "that send too much get nothing",
    arguments: [
      // A line, a header, many headers, a body, more requests.
      "GET /$many", "GET / HTTP/1.1\\r\\nA: $many", "GET / HTTP/1.1\\r\\n${many//a/a:\\r\\n}",
      "POST / HTTP/1.1\\r\\nContent-Length: 100000\\r\\n\\r\\n$many",
    ])
  func flood(request: String) async throws {
    try await withServer(Self.routes) { server in
      let output = try await server.shell(
        """
        many=$(head -c 20000 /dev/zero | tr '\\0' a)
        exec 3<>/dev/tcp/127.0.0.1/$1; printf "\(request)" >&3; cat <&3
        """)
      #expect(!output.contains("200 OK"))
      #expect(try await server.fetch("/") == "here\n200")
    }
  }

  @Test("that send more than 64 headers get 431", arguments: [(64, 200), (65, 431)])
  func fields(count: Int, status: Int) async throws {
    try await withServer(Self.routes) { server in
      let fields = String(repeating: "A: b\\r\\n", count: count)
      let output = try await server.talk("GET / HTTP/1.1\\r\\n\(fields)\\r\\n")
      #expect(output.hasPrefix("HTTP/1.1 \(status) "), "\(output)")
    }
  }

  @Test(
    "that never finish long heads or trailers are disconnected, but not those with a short head",
    arguments: ["", "Host: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n"])
  func longHeads(start: String) async throws {
    try await withServer(Self.routes) { server in
      // There is room for 16 KB, which is two of these. `read` times out if a connection is open.
      let output = try await server.shell(
        """
        exec 3<>/dev/tcp/127.0.0.1/$1; printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n' >&3
        long=$(head -c 7000 /dev/zero | tr '\\0' a)
        for _ in {1..10}; do
        exec {held}<>/dev/tcp/127.0.0.1/$1; printf 'GET / HTTP/1.1\\r\\n\(start)A: %s\\r\\n' "$long" >&"$held"
        all+=("$held")
        done
        until [ "$closed" = 8 ]; do
        closed=0
        for held in "${all[@]}"; do read -rt 0.01 -u "$held"; (( $? > 128 )) || ((closed += 1)); done
        done
        printf '\\r\\n' >&3; cat <&3
        """)
      #expect(output.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(output)")
      #expect(output.hasSuffix("\r\n\r\nhere\n"))
    }
  }

  @Test("that never finish heads of almost 1 KB do not keep out a request whose body comes with its head")
  func shortHeads() async throws {
    var limits = ServerLimits.patient
    limits.pieceBytes = 4_096
    try await withServer([Route("/", .post) { .page("\($0.body.count)\n") }], within: limits) { server in
      let output = try await server.shell(
        """
        long=$(head -c 980 /dev/zero | tr '\\0' a)
        for _ in {1..15}; do
        exec {held}<>/dev/tcp/127.0.0.1/$1; printf 'GET / HTTP/1.1\\r\\nA: %s\\r\\n' "$long" >&"$held"
        done
        exec 3<>/dev/tcp/127.0.0.1/$1
        { printf 'POST / HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\nContent-Length: 2940\\r\\n\\r\\n'
        printf %s "$long$long$long"; } | dd bs=8192 iflag=fullblock status=none >&3
        cat <&3
        """)
      #expect(output.hasPrefix("HTTP/1.1 200 OK\r\n"), "\(output)")
      #expect(output.hasSuffix("\r\n\r\n2940\n"))
    }
  }

  @Test(
    "that speak another protocol get an error, or are disconnected",
    arguments: ["hello\\r\\n\\r\\n", "\\x16\\x03\\x01\\x00\\xa5", "GET / HTTP/1.1\\r\\n: x\\r\\n\\r\\n"])
  func nonsense(request: String) async throws {
    try await withServer(Self.routes) { server in
      let output = try await server.talk(request)
      #expect(output == "" || output.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      #expect(try await server.fetch("/") == "here\n200")
    }
  }

  @Test("that send many requests get one answer for each connection") func pipeline() async throws {
    try await withServer(Self.routes) { server in
      let output = try await server.shell(
        """
        exec 3<>/dev/tcp/127.0.0.1/$1
        printf 'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\nGET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' >&3; cat <&3
        """)
      #expect(output.count(of: "HTTP/1.1 200 OK") == 1)
    }
  }
}
