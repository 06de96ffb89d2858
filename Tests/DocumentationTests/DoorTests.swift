import TestSupport
import Testing

/// Runs the programs of the article, which post to the door and then to FCM. A server of the test stands in
/// for FCM.
@Suite("The article about the door", .timeLimit(.minutes(5)))
struct DoorTests {
  /// Takes messages like FCM, and writes each with its path and its login into its log.
  private static let fcm = """
    import http.server, sys
    class FCM(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers['Content-Length']))
            print(self.path, self.headers['Authorization'], body.decode(), flush=True)
            self.send_response(200)
            self.send_header('Content-Length', '0')
            self.end_headers()
    server = http.server.HTTPServer(('127.0.0.1', 0), FCM)
    print('port', server.server_port, flush=True)
    server.serve_forever()
    """

  /// How each language runs a file.
  private static let interpreters = [
    "python": "/usr/bin/python3 sample.python", "js": "node sample.js",
    "go": "GO111MODULE=off GOCACHE=$PWD/cache GOFLAGS=-p=2 go run sample.go",
  ]

  @Test("its programs send what comes out of the door to FCM", arguments: ["python", "js", "go"])
  func sample(language: String) async throws {
    let article = try Documentation.article("Door")
    let sample = try #require(article.blocks(language).first)
    let interpreter = try #require(Self.interpreters[language])
    try await withTemporaryDirectory { folder in
      try await withNginx(serving: Fixtures.media) { nginx in
        let fcm = Daemon("/usr/bin/python3", ["-c", Self.fcm], name: "fcm", in: folder)
        let media = "127.0.0.1:\(nginx.httpPort)"
        let start = try #require(article.blocks("sh").first).replacing("8080", with: "0")
          .replacing("--allow-port 8000", with: "--allow-port \(nginx.httpPort)")
        let options = start.split(whereSeparator: \.isWhitespace).dropFirst().map { String($0) }
        let worker = Daemon(PushEnricher.path, options + ["--store", folder.path], name: "work", in: folder)
        let port = try await word(after: #/port (\d+)/#, in: fcm)
        let door = try await word(after: #/"the door is open","address":"127.0.0.1:(\d+)"/#, in: worker)
        let text = sample.replacing("127.0.0.1:8080", with: "127.0.0.1:\(door)")
          .replacing("https://fcm.googleapis.com", with: "http://127.0.0.1:\(port)")
          .replacing("127.0.0.1:8000", with: media)
        try folder.write(Array("\(text)\n".utf8), to: "sample.\(language)")
        let run = try await Command("bash").run(
          [
            "-c",
            "cd \(folder.path) && DEVICE=device PROJECT=project ACCESS_TOKEN=login no_proxy='*' \(interpreter)",
          ],
          limit: .seconds(240))
        #expect(run.output == "enriched 200\n", "\(run.standardError)\(worker.output)")
        #expect(fcm.output.contains("\n/v1/projects/project/messages:send Bearer login {\"message\""))
        #expect(
          fcm.output.contains(#/"image": ?"https:\/\/cdn\.example\/[0-9a-f]{64}\.jpg"/#), "\(fcm.output)")
        #expect(!fcm.output.contains(media))
        try await worker.kill()
        try await fcm.kill()
      }
    }
  }

  @Test("its first example runs as it is printed") func example() async throws {
    let block = try #require(Documentation.article("Door").blocks("console").first)
    let lines = block.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    let port = "\(freePort())"
    try await withTemporaryDirectory { folder in
      let start = lines[0].dropFirst(2).replacing("push-enricher", with: PushEnricher.path)
      let ask = lines[1].dropFirst(2).replacing(
        "curl", with: "curl -q -sS --noproxy '*' --retry 50 --retry-connrefused --retry-delay 1")
      let script = "cd \(folder.path)\n\(start) worker=$!; \(ask); kill $worker; wait $worker"
        .replacing("8080", with: port)
      let run = try await Command("bash").run(["-c", script], environment: ["LC_ALL": "C"])
      let output = run.output.replacing("\r\n", with: "\n").replacing(
        #/elapsed-ms: \d+/#, with: "elapsed-ms: 0")
      #expect(output == lines.dropFirst(2).joined(separator: "\n"), "\(run.standardError)")
    }
  }

  private func word(after pattern: Regex<(Substring, Substring)>, in daemon: Daemon) async throws -> Substring
  {
    #expect(try await daemon.wait { $0.contains(pattern) }, "\(daemon.output)")
    return try #require(daemon.output.firstMatch(of: pattern)).output.1
  }
}
