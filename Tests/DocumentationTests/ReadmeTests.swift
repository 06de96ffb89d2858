import TestSupport
import Testing

/// README is a promise: its commands run, and print what README shows.
@Suite("README", .timeLimit(.minutes(5)))
struct ReadmeTests {
  @Test("README has 10 KB at most, so that newcomers read all of it") func size() throws {
    #expect(try Documentation.readme().text.utf8.count <= 10_240)
  }

  @Test("the test command is the one of CI, to the letter") func testCommand() throws {
    let commands = try Documentation.readme().blocks("sh")
    #expect(commands.count == 2)
    let script = String(decoding: try Files.read("\(Fixtures.root)/.ci/run"), as: UTF8.self)
    #expect(script.contains(try #require(commands.last)))
  }

  @Test("the first command ends with a table in which everything is as expected") func demo() async throws {
    let command = try #require(Documentation.readme().blocks("sh").first?.split(separator: "\n").last)
    #expect(command.hasSuffix("&& .build/release/push-enricher demo"))
    let run = try await PushEnricher.run(
      ["demo", "--fixtures", "\(Fixtures.root)/Fixtures"], limit: .seconds(240))
    let encrypted = "\(Fixtures.root)/Fixtures/encrypted"
    let categories = "\(Fixtures.root)/Fixtures/categories"
    let cases = [Fixtures.payloads, Fixtures.envelopes, encrypted, categories].reduce(0) {
      $0 + Fixtures.files(in: $1, ending: ".expected.json").count
    }
    #expect(run.output.hasSuffix("\n\(cases) of \(cases) payloads came out as they should\n"))
    #expect(!run.output.contains("WRONG"))
    #expect(run.standardError == "")
    #expect(run.exitStatus == 0)
  }

  /// Both blocks are one session: the second one uses the payload and the server of the first.
  @Test("the first example and the failure after it run as they are printed") func session() async throws {
    let blocks = try Documentation.readme().blocks("console").filter { $0.contains(" payload.json") }
    try #require(blocks.count == 2)
    let port = "\(freePort())"
    func here(_ text: String) -> String { text.replacing("8000", with: port) }
    try await withTemporaryDirectory { folder in
      try await Command("ln").runSuccessfully([
        "-s", "\(Fixtures.root)/Fixtures", folder.path(of: "Fixtures"),
      ])
      try await Command("mkdir").runSuccessfully(["-p", folder.path(of: ".build/release")])
      try await Command("ln").runSuccessfully([
        "-s", PushEnricher.path, folder.path(of: ".build/release/push-enricher"),
      ])
      let lines = blocks.joined(separator: "\n").split(separator: "\n").map { here(String($0)) }
      var script = "cd \(folder.path)\n"
      for line in lines where line.hasPrefix("$ ") {
        script += line.dropFirst(2) + "\n"
        // A reader takes longer to type the next command than the server takes to start.
        if line.hasSuffix("&") {
          script +=
            "server=$!; for _ in $(seq 100); do curl -qs -o /dev/null 127.0.0.1:\(port) && break; sleep 0.1; done\n"
        }
      }
      // Failures of the example are part of its output. Merging both streams keeps their order.
      let run = try await Command("bash").run(["-c", "{ \(script) kill $server; } 2>&1"])
      let expected = lines.filter { !$0.hasPrefix("$ ") }.joined(separator: "\n")
      #expect(comparable(run.output) == comparable(expected))
    }
  }

  @Test("the example of sending runs as it is printed", arguments: [false, true])
  func sending(inArticle: Bool) async throws {
    let page = try inArticle ? Documentation.article("APNs") : Documentation.readme()
    let block = try #require(page.blocks("console").first { $0.contains("demo --apns") })
    let port = "\(freePort())"
    try await withTemporaryDirectory { folder in
      var script = "set -e; cd \(folder.path); export PATH=\(folder.path):$PATH\n"
      try await Command("ln").runSuccessfully(["-s", PushEnricher.path, folder.path(of: "push-enricher")])
      for line in block.replacing("9443", with: port).split(separator: "\n") {
        try #require(line.hasPrefix("$ "))
        let isServer = line.hasSuffix("&")
        script += line.dropFirst(2) + (isServer ? " demo=$!\n" : "\n")
        // A reader takes longer to type the next command than the mock takes to start.
        if isServer {
          script +=
            "for _ in $(seq 100); do test -f /tmp/push-enricher-apns-\(port)/certificate.pem && break; sleep 0.1; done\n"
        }
      }
      let run = try await Command("bash").run(["-c", script + "kill -INT $demo; wait $demo"])
      #expect(run.exitStatus == 0, "\(run.standardError)")
      let counts = inArticle ? "3 connections, 3 pushes, 3 accepted" : "1 connection, 1 push, 1 accepted"
      #expect(run.output.hasSuffix("\n\(counts)\n"), "\(run.output)")
    }
  }

  /// The lines without the parts that differ from run to run and from kernel to kernel.
  private func comparable(_ text: String) -> [String] {
    text.split(separator: "\n").filter { !$0.hasPrefix("sandbox ") }.map {
      String($0).replacing(#/ \d+ ms/#, with: " 1 ms").replacing(#/\d+\.\d MB private/#, with: "3 MB private")
    }
  }
}
