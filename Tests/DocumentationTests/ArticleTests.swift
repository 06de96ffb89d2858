import Enriching
import Notifications
import TestSupport
import Testing

/// The articles are promises: these tests run their examples, and check that their lists are complete.
@Suite("Articles", .timeLimit(.minutes(5)))
struct ArticleTests {
  /// The examples use the file server of the README, so that readers can copy them as they are.
  @Test("the first example prints what the article shows", arguments: ["Results", "Envelopes"])
  func inPlace(article: String) async throws {
    let blocks = try Documentation.article(article).blocks("console")
    try await withTemporaryDirectory { folder in
      try await withNginx(serving: Fixtures.media) { nginx in
        let lines = try #require(blocks.first).replacing("8000", with: "\(nginx.httpPort)").split(
          separator: "\n")
        let commands = lines.filter { $0.hasPrefix("$ ") }.map {
          $0.dropFirst(2).replacing("push-enricher enrich", with: "\(PushEnricher.path) enrich")
        }
        let run = try await Command("bash").run([
          "-c", "{ cd \(folder.path); \(commands.joined(separator: "; ")); } 2>&1",
        ])
        let expected = lines.filter { !$0.hasPrefix("$ ") }.joined(separator: "\n") + "\n"
        #expect(run.output.replacing(#/in \d+ ms/#, with: "in 41 ms") == expected)
        #expect(run.exitStatus == 0)
      }
    }
  }

  @Test("the example of encryption prints what the article shows") func encryption() async throws {
    let blocks = try Documentation.article("Encryption").blocks("console")
    let lines = try #require(blocks.first).split(separator: "\n").map {
      String($0)
    }
    try await withTemporaryDirectory { folder in
      try await withNginx(serving: folder.path(of: "media")) { nginx in
        var run: Run?
        for line in lines where line.hasPrefix("$ ") && !line.contains("http.server") {
          let command = line.dropFirst(2).replacing("push-enricher", with: PushEnricher.path)
            .replacing("8001", with: "\(nginx.httpPort)").replacing("Fixtures/media", with: Fixtures.media)
          run = try await Command("bash").run(["-c", "cd \(folder.path) && \(command)"])
          #expect(run?.exitStatus == 0, "\(line): \(run?.standardError ?? "")")
        }
        let last = try #require(run)
        #expect(last.output == lines[lines.count - 2] + "\n")
        #expect(
          last.standardError.replacing(#/in \d+ ms/#, with: "in 41 ms") == lines[lines.count - 1] + "\n")
      }
    }
  }

  @Test("the example of the queue prints what the article shows") func queue() async throws {
    let blocks = try Documentation.article("Queues").blocks("console")
    let lines = try #require(blocks.first).split(separator: "\n").map {
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

  @Test("every option of each command is in an article") func options() async throws {
    let text = try Documentation.pages().map(\.text).joined()
    for (command, help) in try await Self.helps() {
      for option in Set(help.matches(of: #/--[a-z-]+/#).map(\.output))
      where !["--help", "--no-until-empty"].contains(option) {
        #expect(text.contains(try Regex("\(option)(?![a-z-])")), "\(command) \(option)")
      }
    }
  }

  /// The help of each command without subcommands.
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

  @Test("every exit status of the commands is in Options", arguments: [0, 1, 64, 65, 69, 70, 74, 130])
  func statuses(status: Int) throws {
    let table = try #require(
      Documentation.article("Options").text.split(separator: "of the other commands").last)
    #expect(table.contains("\n| \(status) | "))
  }

  @Test("Reasons lists all reasons, and no others") func reasons() throws {
    let rows = try Documentation.article("Reasons").text.matches(of: #/\n\| `([a-z-]+)` \|/#)
    #expect(rows.map { String($0.output.1) } == Reason.allCases.map(\.rawValue))
  }

  @Test("Dialects lists all dialects in their order, and no others") func dialects() throws {
    let rows = try Documentation.article("Dialects").text.matches(of: #/\n\| \d \| ([^|]+) \|/#)
    #expect(rows.map { String($0.output.1) } == MediaReference.dialects)
  }

  @Test("Changes starts with the version of the program") func version() async throws {
    let version = try await PushEnricher.run(["--version"]).output.dropLast()
    let first = try Documentation.article("Changes").text.firstMatch(of: #/\n## (.+)\n/#)
    #expect(first.map { $0.output.1 } == version)
  }
}
