import Misbehaving
import TestSupport
import Testing

@Suite("Without --store and --public-url")
struct DefaultStoreTests {
  private static let enter = ["sh", "-c", #"cd "$1"; shift; exec "$@""#, "sh"]

  @Test("media go to ./attachments, which is created, and have file:// URLs") func attachments() async throws
  {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        let home = folder.path(of: "a b%ü")
        try await Command("mkdir").runSuccessfully([home])
        let words = [PushEnricher.path, "enrich"] + reaching(server.port)
        let payload = Push.naming(server.url(.serve(.photo)))
        let run = try await Turns.shared.take {
          try await Command("sh").run(Array(Self.enter.dropFirst()) + [home] + words, input: payload)
        }
        #expect(run.termination == .exited(0), "\(run.standardError)")
        let name = try #require(Files.names(in: "\(home)/attachments").first)
        #expect(run.output.contains(#""url":"file://\#(folder.path)/a%20b%25%C3%BC/attachments/\#(name)""#))
      }
    }
  }

  @Test(
    "a payload is read from the file that is named, or from stdin if that is -", arguments: [true, false])
  func file(isFile: Bool) async throws {
    try await withTemporaryDirectory { folder in
      let payload = Push.with(#""x":1"#)
      let path = try folder.write(payload, to: "push.json")
      let run = try await PushEnricher.run(["enrich", isFile ? path : "-"], input: isFile ? [] : payload)
      #expect(run.standardOutput == payload)
      #expect(run.termination == .exited(0))
      // Nothing was fetched, so nothing was created.
      #expect(folder.names == ["push.json"])
    }
  }
}
