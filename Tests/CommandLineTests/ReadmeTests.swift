import Enriching
import TestSupport
import Testing

/// README is a promise: what it shows is run, and what it lists is all there is.
@Suite("README")
struct ReadmeTests {
  @Test("the test command is what CI runs, to the letter") func testCommand() throws {
    let commands = try Readme().blocks("sh")
    #expect(commands.count == 2)
    let script = String(decoding: try Files.read("\(Fixtures.root)/.ci/run"), as: UTF8.self)
    #expect(script.contains(try #require(commands.last)))
  }

  @Test("the first command ends with a table in which all is as it should be") func demo() async throws {
    let command = try #require(try Readme().blocks("sh").first?.split(separator: "\n").last)
    #expect(command.hasSuffix("&& .build/release/push-enricher demo"))
    let run = try await PushEnricher.run(["demo", "--fixtures", "\(Fixtures.root)/Fixtures"])
    let cases = [Fixtures.payloads, "\(Fixtures.root)/Fixtures/encrypted"].reduce(0) {
      $0 + Fixtures.files(in: $1, ending: ".expected.json").count
    }
    #expect(run.output.hasSuffix("\n\(cases) of \(cases) payloads came out as they should\n"))
    #expect(!run.output.contains("WRONG"))
    #expect(run.standardError == "")
    #expect(run.exitStatus == 0)
  }

  @Test(
    "an example of enrich comes out as it is printed", arguments: ["$ cat payload.json", "--write in-place"])
  func example(_ part: String) async throws {
    let blocks = try Readme().blocks("console")
    let lines = try #require(blocks.first { $0.contains(part) }).split(separator: "\n").map { String($0) }
    try await withTemporaryDirectory { store in
      try await withNginx(serving: Fixtures.media) { nginx in
        try await withNameServer(["media.example": .addresses(["127.0.0.1"])]) { names in
          let payload = lines[1].replacing("media.example/", with: "media.example:\(nginx.httpsPort)/")
          let arguments = lines[2].split(separator: " ").dropFirst(4).map { String($0) }
          let run = try await PushEnricher.run(
            ["enrich"] + arguments + [
              "--store", store.path, "--ca-file", nginx.caFile, "--name-servers", names.address,
              "--allow-port", "\(nginx.httpsPort)", "--allow-network", "127.0.0.1/32",
            ], input: Array("\(payload)\n".utf8))
          #expect(run.output.replacing(":\(nginx.httpsPort)/", with: "/") == lines[3] + "\n")
          #expect(
            run.standardError.replacing(#/in \d+ ms/#, with: "in 41 ms") == lines[4] + "\n")
          #expect(run.exitStatus == 0)
        }
      }
    }
  }

  @Test("the example of encryption comes out as it is printed") func encryption() async throws {
    let blocks = try Readme().blocks("console")
    let lines = try #require(blocks.first { $0.contains("seal media") }).split(separator: "\n").map {
      String($0)
    }
    try await withTemporaryDirectory { folder in
      try folder.write(Array(lines[1].utf8), to: "keys.json")
      try folder.write(Files.read("\(Fixtures.media)/photo.jpg"), to: "photo.jpg")
      try await withNginx(serving: folder.path) { nginx in
        try await withNameServer(["media.example": .addresses(["127.0.0.1"])]) { names in
          let options = [
            "--ca-file", nginx.caFile, "--name-servers", names.address, "--allow-port", "\(nginx.httpsPort)",
            "--allow-network", "127.0.0.1/32",
          ]
          var run: Run?
          for line in lines where line.hasPrefix("$ ") {
            let isLast = line.contains("push-enricher enrich ")
            let command = line.dropFirst(2).replacing("push-enricher", with: PushEnricher.path)
              .replacing("media.example/", with: "media.example:\(nginx.httpsPort)/")
            run = try await Command("bash").run([
              "-c", "cd \(folder.path) && \(command) \(isLast ? options.joined(separator: " ") : "")",
            ])
            #expect(run?.exitStatus == 0, "\(line): \(run?.standardError ?? "")")
          }
          let last = try #require(run)
          #expect(last.output == lines[lines.count - 2] + "\n")
          #expect(
            last.standardError.replacing(#/in \d+ ms/#, with: "in 41 ms") == lines[lines.count - 1] + "\n")
        }
      }
    }
  }

  @Test("the example of the queue runs as it is printed") func queue() async throws {
    let blocks = try Readme().blocks("console")
    let lines = try #require(blocks.first { $0.contains(" enqueue ") }).split(separator: "\n").map {
      String($0)
    }
    try await withTemporaryDirectory { folder in
      try folder.write(Array(#"{"aps":{"alert":"Look!"}}"#.utf8), to: "payload.json")
      var output = ""
      for line in lines where line.hasPrefix("$ ") {
        let command = line.dropFirst(2).replacing("push-enricher", with: PushEnricher.path)
        let run = try await Command("bash").run(["-c", "cd \(folder.path) && \(command)"])
        #expect(run.exitStatus == 0, "\(run.standardError)")
        output = run.output
      }
      #expect(output == #"{"aps":{"alert":"Look!"}}"# + "\n")
    }
  }

  @Test("every option of the program stands in it") func options() async throws {
    let readme = try Readme().text
    let help = try await PushEnricher.run(["enrich", "--help"]).output
    for option in help.matches(of: #/--[a-z-]+/#).map({ String($0.output) }) where option != "--help" {
      #expect(readme.contains("`\(option)"), "\(option)")
    }
  }

  @Test("and so does every option of each command") func allOptions() async throws {
    let readme = try Readme().text
    for (command, help) in try await Self.helps() {
      for option in Set(help.matches(of: #/--[a-z-]+/#).map(\.output))
      where !["--help", "--no-until-empty"].contains(option) {
        #expect(readme.contains(try Regex("\(option)(?![a-z-])")), "\(command) \(option)")
      }
    }
  }

  /// What each command says of itself that has none below it.
  private static func helps(_ command: [String] = []) async throws -> [[String]: String] {
    let help = try await PushEnricher.run(command + ["--help"]).output
    guard let list = help.firstRange(of: "SUBCOMMANDS:") else { return [command: help] }
    var all: [[String]: String] = [:]
    for name in help[list.upperBound...].matches(of: #/\n {2}([a-z-]+)/#) {
      all.merge(try await helps(command + [String(name.output.1)])) { $1 }
    }
    #expect(!all.isEmpty)
    return all
  }

  @Test("every exit status of the commands stands in it", arguments: [0, 1, 64, 65, 69, 70, 74, 130])
  func statuses(status: Int) throws {
    let table = try #require(Readme().text.split(separator: "How the commands end").last)
    #expect(table.contains("\n| \(status) | "))
  }

  @Test("every reason stands in it", arguments: Reason.allCases) func reasons(reason: Reason) throws {
    #expect(try Readme().text.contains("| `\(reason.rawValue)` |"))
  }

  @Test("the files that it points at are there") func links() throws {
    let readme = try Readme().text
    for link in readme.matches(of: #/\]\(([A-Za-z\/.-]+)\)/#) {
      #expect(Files.exists("\(Fixtures.root)/\(link.output.1)"))
    }
    for folder in readme.matches(of: #/`((Sources|Fixtures|Tests|\.ci)\/[A-Za-z\/.-]+)`/#) {
      #expect(Files.exists("\(Fixtures.root)/\(folder.output.1)"), "\(folder.output.1)")
    }
  }
}
