import DeviceAPI
import Glibc
import PushQueueing
import TestSupport
import Testing

/// Devices are strangers, so the API has to expect anything from them.
@Suite("Hostile devices", .timeLimit(.minutes(5)), .serialized)
struct HostileDeviceTests {
  /// Connects, with TLS or without, and sends `parts` with pauses. Prints the first line of the answer and how long the
  /// connection lasted.
  private static let slow = """
    import socket, ssl, sys, time
    connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
    start = time.monotonic()
    if sys.argv[2]:
        connection = ssl.create_default_context(cafile=sys.argv[2]).wrap_socket(connection, server_hostname='localhost')
    answer = b''
    connection.settimeout(0.05)
    for byte in sys.argv[3].encode().decode('unicode_escape').encode('latin-1') + b'a' * 1000:
        try:
            connection.sendall(bytes([byte]))
            piece = connection.recv(1000)
            answer += piece
            if not piece: break
        except TimeoutError: pass
        except OSError: break
    print(answer.split(b'\\r\\n')[0].decode(), time.monotonic() - start < 20)
    """

  @Test(
    "that send a byte now and then are disconnected", arguments: [false, true],
    [
      #"POST /v1/missed HTTP/1.1\r\nX: "#,
      #"POST /v1/missed HTTP/1.1\r\nAuthorization: Bearer x\r\nContent-Length: 900\r\n\r\n"#,
    ])
  func drip(tls: Bool, request: String) async throws {
    // A busy machine may need seconds for a handshake.
    try await withAPI(tls: tls, { $0.transfer = .seconds(tls ? 4 : 2) }) { site in
      let output = try await site.python(Self.slow, tls ? site.folder.path(of: "site.pem") : "", request)
      #expect(output == "HTTP/1.1 408 Request Timeout True\n")
      #expect(
        try await site.curl("/v1/missed", tls ? ["-k"] : [], scheme: tls ? "https" : "http").status == 405)
    }
  }

  @Test("that never begin a handshake, or never end it, are disconnected") func handshake() async throws {
    let program = """
      import socket, sys, time
      for hello in (b'', bytes.fromhex('16030100'), bytes.fromhex('1603010200010001fc0303')):
          start = time.monotonic()
          connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
          connection.sendall(hello)
          connection.settimeout(20)
          print(connection.recv(100), 0.4 < time.monotonic() - start < 10)
      """
    try await withAPI(tls: true, { $0.transfer = .milliseconds(500) }) { site in
      let output = try await site.python(program)
      #expect(output == String(repeating: "b'' True\n", count: 3))
    }
  }

  @Test("with huge heads get 431 or are disconnected", arguments: [false, true]) func heads(tls: Bool)
    async throws
  {
    try await withAPI(tls: tls) { site in
      let (many, scheme) = (String(repeating: "a", count: 20_000), tls ? "https" : "http")
      for options in [["-H", "X: \(many)"], (0..<100).flatMap { ["-H", "X\($0): \(many.prefix(200))"] }] {
        let answer = try await site.curl("/v1/missed", ["-k", "-d", "{}"] + options, scheme: scheme)
        #expect([nil, 431, 400].contains(answer.status), "\(answer)")
      }
      #expect(try await site.curl("/v1/missed", ["-k"], scheme: scheme).status == 405)
    }
  }

  @Test("that announce a huge body are refused before they send it") func bodies() async throws {
    try await withAPI { site in
      let program = """
        import socket, sys
        connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
        connection.sendall(b'POST /v1/missed HTTP/1.1\\r\\nAuthorization: Bearer x\\r\\nContent-Length: 99999999999\\r\\n\\r\\n')
        print(connection.recv(1000).split(b'\\r\\n')[0])
        """
      let output = try await site.python(program)
      #expect(output == "b'HTTP/1.1 413 Payload Too Large'\n")
    }
  }

  @Test("that send requests one behind the other get an answer for each, in order") func pipeline()
    async throws
  {
    try await withAPI { site in
      let program = """
        import re, socket, sys
        connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
        bodies = [b'{"app":"com.example.mail","device":"%s","e":7,"last":40,"count":%d,"seen":1}' % (sys.argv[2].encode(), count) for count in (1, 101, 2)]
        for body in bodies:
            connection.sendall(b'POST /v1/missed HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer %s\\r\\nContent-Length: %d\\r\\n\\r\\n%s' % (sys.argv[3].encode(), len(body), body))
        connection.settimeout(60)
        answer = b''
        while answer.count(b'HTTP/1.1 ') < 3:
            piece = connection.recv(4096)
            if not piece: break
            answer += piece
        connection.settimeout(0.5)
        try: answer += connection.recv(4096)
        except TimeoutError: pass
        print([status.decode() for status in re.findall(b'HTTP/1.1 (...)', answer)])
        """
      let output = try await site.python(program, AppDevice.known.device, site.ticket(.known))
      #expect(output == "['202', '413', '202']\n")
    }
  }

  /// Opens 1,000 connections. A third says nothing, a third sends half a head, a third half a body. Then another one
  /// sends a whole request. Prints its status, how many of the crowd are closed, and waits.
  private static let crowd = """
    import http.client, resource, select, socket, ssl, sys, time
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    port, ca, device, ticket = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    context = ssl.create_default_context(cafile=ca) if ca else None
    parts = (b'', b'POST /v1/missed HTTP/1.1\\r\\nX: ' + b'a' * 4000, b'POST /v1/missed HTTP/1.1\\r\\nAuthorization: Bearer x\\r\\nContent-Length: 1000\\r\\n\\r\\n' + b'a' * 900)
    crowd = []
    for number in range(1000):
        connection = socket.create_connection(('127.0.0.1', port))
        try:
            if context: connection = context.wrap_socket(connection, server_hostname='localhost')
            connection.sendall(parts[number % 3])
        except OSError: pass
        crowd.append(connection)
    body = '{"app":"com.example.mail","device":"%s","e":7,"last":40,"count":3,"seen":1}' % device
    client = http.client.HTTPSConnection('localhost', port, context=context) if ca else http.client.HTTPConnection('127.0.0.1', port)
    client.request('POST', '/v1/missed', body, {'Authorization': 'Bearer ' + ticket})
    status = client.getresponse().status
    closed = 0
    for connection in crowd:
        try:
            connection.settimeout(0.001)
            while connection.recv(4096): pass
            closed += 1
        except (TimeoutError, ssl.SSLWantReadError): pass
        except OSError: closed += 1
    print(status, closed, flush=True)
    open(sys.argv[5], 'w').close()
    time.sleep(3)
    """

  @Test(
    "who open 1,000 connections lose the oldest, keep nobody out, and take little memory",
    arguments: [false, true])
  func crowd(tls: Bool) async throws {
    // A busy machine may need a minute for that many handshakes.
    try await withAPI(tls: tls, { ($0.connections, $0.transfer) = (256, .seconds(240)) }) { site in
      let scheme = tls ? "https" : "http"
      for _ in 0..<3 { _ = try await site.curl("/v1/missed", ["-k"], scheme: scheme) }
      let before = try #require(ProcessStatus.privateBytes(of: getpid()))
      let isFull = site.folder.path(of: "full")
      async let output = site.python(
        Self.crowd, tls ? site.folder.path(of: "site.pem") : "", AppDevice.known.device, site.ticket(.known),
        isFull)
      #expect(await eventually { Files.exists(isFull) })
      let growth = try #require(ProcessStatus.privateBytes(of: getpid())) - before
      print("1,000 connections \(tls ? "with" : "without") TLS: \(growth / 1_024) KB")
      #expect(growth < (tls ? 12_000_000 : 6_000_000))
      let words = try await output.split(separator: "\n").last?.split(separator: " ") ?? []
      #expect(words.first == "202", "\(words)")
      // The connection that sent the request and that of `curl` take a place, too.
      #expect(words.dropFirst().first.flatMap { Int($0) }.map { 744...760 ~= $0 } == true, "\(words)")
      #expect(try await site.curl("/v1/missed", ["-k"], scheme: scheme).status == 405)
    }
  }
}
