import TestSupport
import Testing

/// Runs README's programs, which put a payload into a queue and take its result out.
@Suite("README's samples", .timeLimit(.minutes(5)))
struct SampleTests {
  @Test("put a payload into Redis and take its result out", arguments: ["python", "js"])
  func redis(language: String) async throws {
    try await withRedisServer { server in
      let urls = ["incoming", "enriched"].map { "redis://127.0.0.1:\(server.port)/\($0)" }
      let output = try await run(language, at: urls) { $0.replacing("6379", with: "\(server.port)") }
      #expect(output.hasPrefix(#"enriched {"aps":{"alert":"Look!","mutable-content":1},"media":"#))
    }
  }

  @Test("put a payload into RabbitMQ and take its result out") func rabbitMQ() async throws {
    let port = try await RabbitMQServer.shared.ports.plain
    let places = ["incoming", "enriched"].map { "amqp://guest:guest@127.0.0.1/%2F?queue=\($0)" }
    for place in places { #expect(try Documentation.readme().text.contains("'\(place)'")) }
    let output = try await run("go", at: places.map { $0.replacing("127.0.0.1", with: "127.0.0.1:\(port)") })
    {
      $0.replacing("5672", with: "\(port)")
    }
    #expect(output.hasPrefix(#"enriched {"aps":{"alert":"Look!","mutable-content":1},"media":"#))
  }

  /// The command that runs a file of each language.
  private static let interpreters: [String: String] = [
    "python": "/usr/bin/python3 sample.python",
    "js": "NODE_PATH=/usr/share/nodejs node sample.js",
    "go": "GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$PWD/cache GOFLAGS=-p=2 go run sample.go",
  ]

  /// Runs the sample next to a worker between two queues.
  /// - Parameter adapted: changes the sample to use the test's broker.
  /// - Returns: the output of the sample.
  private func run(
    _ language: String, at urls: [String], _ adapted: (String) -> String
  ) async throws -> String {
    let sample = try #require(Documentation.readme().blocks(language).first)
    let interpreter = try #require(Self.interpreters[language])
    return try await withTemporaryDirectory { folder in
      try await withNginx(serving: Fixtures.media) { nginx in
        let port = "\(nginx.httpPort)"
        let arguments =
          ["work", "--from", urls[0], "--to", urls[1], "--store", folder.path]
          + "--allow-http --allow-port \(port) --allow-network 127.0.0.1/32".split(separator: " ").map(
            String.init)
        // The first start creates the queues.
        try await Command(PushEnricher.path).runSuccessfully(arguments + ["--until-empty"])
        let worker = Daemon(PushEnricher.path, arguments, name: "work", in: folder)
        let text = adapted(sample).replacing("127.0.0.1:8000", with: "127.0.0.1:\(port)")
        try folder.write(Array("\(text)\n".utf8), to: "sample.\(language)")
        let run = try await Command("bash").run(
          ["-c", "cd \(folder.path) && \(interpreter)"], limit: .seconds(240))
        #expect(run.exitStatus == 0, "\(run.standardError)\(worker.output)")
        try await worker.kill()
        return run.output
      }
    }
  }
}
