import Misbehaving
import Notifications
import TestSupport
import Testing

/// What the program tells a newcomer who has forgotten something.
@Suite("Hints", .timeLimit(.minutes(5)))
struct HintTests {
  @Test("a command line without its command is completed") func command() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.path(of: "my payload.json")
      try folder.write(Array("{}".utf8), to: "my payload.json")
      for (arguments, line) in [
        ([file], "enrich '\(file)'"), (["--explain", file], "enrich --explain '\(file)'"),
        (["--allow-http", file, "--report", "a'b"], #"enrich --allow-http '\#(file)' --report 'a'\''b'"#),
        (["--from", "-", "--until-empty"], "work --from - --until-empty"),
      ] {
        let run = try await PushEnricher.run(arguments)
        #expect(run.standardError == "push-enricher: the command is missing: write push-enricher \(line)\n")
        #expect(run.exitStatus == 64)
        #expect(run.output == "")
      }
    }
  }

  @Test(
    "other mistakes and questions stay what they are",
    arguments: [
      ["missing.json"], ["enrihc", "/dev/null"], ["--help"], ["--version"], ["enrich", "--nonsense"],
      ["--nonsense"],
    ])
  func others(arguments: [String]) async throws {
    let run = try await PushEnricher.run(arguments)
    #expect(!run.standardError.contains("the command is missing"))
  }

  @Test("a result that names files of this machine has a warning, once") func files() async throws {
    try await withHostileServer { server in
      let warning =
        "push-enricher: results name files on this machine (file://…), which no device can fetch: give --public-url"
      let (photo, missing) = (server.url(.serve(.photo)), server.url(.serve(.notFoundPage)))
      for (payload, omitted, count) in [
        (Push.naming(photo, photo), "--public-url", 1), (Push.naming(photo), nil, 0),
        (Push.naming(missing), "--public-url", 0),
      ] {
        let enriched = try await enrich(payload, reaching(server.port), leavingOut: omitted)
        #expect(enriched.told.count { $0 == warning } == count, "\(enriched.run.standardError)")
        #expect(!enriched.run.output.contains("no device"))
      }
    }
  }

  @Test("a worker without --public-url warns when it starts") func worker() async throws {
    try await withTemporaryDirectory { folder in
      for (options, count) in [([], 1), (["--public-url", "https://cdn.example"], 0)] {
        let run = try await Command(PushEnricher.path).run(
          ["work", "--until-empty", "--store", folder.path] + ["--from", "-", "--to", "-"] + options)
        #expect(
          run.standardError.split(separator: "\n").count { $0.contains("no device can fetch") } == count)
        #expect(run.exitStatus == 0)
      }
    }
  }

  @Test("blanks around a URL are in no message and no label") func blanks() async throws {
    try await withHostileServer { server in
      let url = server.url(.serve(.photo), file: "photo.jpg")
      let enriched = try await enrich(Push.naming("\(url) "), reaching(server.port) + ["--explain"])
      let told = Told(enriched)
      #expect(told["medium"] == ["media: \(url)"])
      #expect(told["url"] == ["the blanks around it are left out"])
      #expect(told["label"] == [])
      #expect(enriched.media.first?["url"]?.string == url)
    }
  }
}
