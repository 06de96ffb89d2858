import Misbehaving
import Notifications
import TestSupport
import Testing

@Suite("--report")
struct ReportTests {
  @Test("has the facts of a success as JSON") func success() async throws {
    try await withHostileServer { server in
      let url = server.url(.serve(.photo), file: "photo.jpg")
      let enriched = try await enrich(Push.naming(url), reaching(server.port))
      let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
      let report = try #require(enriched.report?.root)
      #expect(report["outcome"]?.string == "enriched")
      #expect(report["reason"] == nil)
      #expect(try #require(report["elapsed_ms"]?.integer) >= 0)
      let medium = try #require(enriched.media.first)
      #expect(medium["identifier"]?.string == "media")
      #expect(medium["url"]?.string == url)
      #expect(medium["path"]?.string == "media.0.url")
      #expect(medium["content_type"]?.string == "image/jpeg")
      #expect(medium["type"]?.string == "public.jpeg")
      #expect(medium["stored_url"]?.string == "\(publicURL)\(photo.name)")
      #expect(medium["size"]?.integer == photo.size)
      #expect(medium["sha256"]?.string == photo.sha256)
      #expect(medium["disagreeing_labels"]?.elements.map(\.spelling) == [])
      let hop = try #require(medium["hops"]?[0])
      #expect(hop["address"]?.string == "127.0.0.1:\(server.port)")
      #expect(hop["status"]?.integer == 200)
      #expect(hop["received_bytes"]?.integer == photo.size)
    }
  }

  @Test("has the same peak of private memory as /proc") func memory() async throws {
    try await withHostileServer { server in
      try await withTemporaryDirectory { folder in
        let report = folder.path(of: "report.json")
        let url = server.url(.serve(.padded("clip.mp4", as: "video/mp4", to: 30_000_000)))
        let options = ["--store", folder.path, "--report", report] + reaching(server.port)
        let run = try await Turns.shared.take {
          try await PushEnricher.runSampled(["enrich"] + options, input: Push.naming(url))
        }
        let told = try #require(try JSONDocument(Files.read(report)).root["peak_private_bytes"]?.integer)
        let seen = try #require(run.peakPrivateBytes)
        #expect(run.exitStatus == 0)
        #expect((500_000..<12_000_000).contains(told))
        // Both figures come from samples, so they differ a little.
        #expect(abs(told - seen) < 1_000_000, "told \(told), seen \(seen)")
      }
    }
  }

  @Test("replaces the contents of the file, and is one line") func file() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write([UInt8](repeating: 0x78, count: 10_000), to: "report.json")
      _ = try await enrich(Push.with(#""x":1"#), ["--report", path])
      let text = String(decoding: try Files.read(path), as: UTF8.self)
      #expect(text.hasPrefix(#"{"outcome":"unmodified","reason":"no-media","detail":"#))
      #expect(text.hasSuffix(#""media":[]}"# + "\n"))
    }
  }

  @Test("cannot go to stdout, which has the payload") func standardOutput() async throws {
    try await withTemporaryDirectory { folder in
      let run = try await Command("sh").run(
        ["-c", #"cd "$0" && exec "$@""#, folder.path, PushEnricher.path, "enrich", "--report", "-"],
        input: Push.with(#""x":1"#))
      #expect(run.termination == .exited(64))
      #expect(
        run.standardError
          == "push-enricher: --report -: stdout is for the payload: name a file, like ./- or /dev/stderr\n")
      #expect(folder.names == [])
    }
  }

  @Test(
    "says why the input is not a payload", arguments: ["[]", String(repeating: " ", count: 65_537)])
  func refused(input: String) async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write([UInt8](repeating: 0x78, count: 10_000), to: "report.json", mode: 0o600)
      let run = try await PushEnricher.run(
        ["enrich", "--store", folder.path, "--report", path], input: Array(input.utf8))
      #expect(run.termination == .exited(65))
      #expect(run.standardOutput == [])
      let report = try JSONDocument(Files.read(path)).root
      #expect(report["outcome"]?.string == "refused")
      #expect(report["reason"]?.string == "invalid-payload")
      #expect(run.standardError == "push-enricher: \(report["detail"]?.string ?? "")\n")
      #expect(run.standardError.hasPrefix("push-enricher: stdin is not a payload: "))
    }
  }

  @Test("a result that cannot be written ends the program with status 74") func full() async throws {
    let enriched = try await enrich(
      Push.with(#""x":1"#), through: ["sh", "-c", #"exec "$@" > /dev/full"#, "sh"])
    #expect(enriched.run.termination == .exited(74))
    #expect(enriched.line == "push-enricher: stdout: No space left on device")
  }
}
