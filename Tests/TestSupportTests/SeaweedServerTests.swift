import TestSupport
import Testing

@Suite("The SeaweedFS of tests", .timeLimit(.minutes(5)))
struct SeaweedServerTests {
  @Test("keeps objects over a power cut, and refuses a forged signature")
  func keeps() async throws {
    try await withSeaweedServer { server in
      #expect(try await server.curl.ask("media/a.png", body: "picture").output == "\n200")
      try await server.kill()
      #expect(try await server.curl.ask("media/a.png").exitStatus == CurlExit.cannotConnect)
      try await server.restart()
      #expect(try await server.curl.ask("media/a.png").output == "picture\n200")
      #expect(try await server.curl.ask("media/a.png", ["--head"]).output.contains("Content-Type: image/png"))
      let forged = try await server.curl.ask("media/a.png", ["--user", "AKIATEST:other"]).output
      #expect(forged.contains("<Code>SignatureDoesNotMatch</Code>"))
    }
  }

  @Test("is one for all tests of a process")
  func shared() async throws {
    async let one = SeaweedServer.shared()
    async let other = SeaweedServer.shared()
    #expect(try await one === other)
  }
}
