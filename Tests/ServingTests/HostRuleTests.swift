import Testing

@testable import Serving

@Suite("The host that a request is for")
struct HostRuleTests {
  @Test(
    "is this machine, where nobody else can ask",
    arguments: [
      "localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:8080", "127.8.9.10:1", "[::1]:8080", "[::1]",
    ])
  func own(host: String) {
    #expect(HostRule(listeningAt: "127.0.0.1").admits(host))
    #expect(HostRule(listeningAt: "::1").admits(host))
  }

  @Test(
    "is none that a name server made this machine's",
    arguments: [
      "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "127.evil.example",
      "localhost.evil.example", "",
      "127.0.0.256", "10.0.0.1:8080", "[fe80::1]:8080", "[::ffff:127.0.0.1]", "::1",
    ])
  func foreign(host: String) {
    #expect(!HostRule(listeningAt: "127.0.0.1").admits(host))
    #expect(!HostRule(listeningAt: "::1").admits(host))
    // It is reached by names there that nobody here knows.
    #expect(HostRule(listeningAt: "0.0.0.0").admits(host))
    #expect(HostRule(listeningAt: "10.0.0.1").admits(host))
  }

  @Test("may be missing: no browser leaves it out") func missing() {
    #expect(HostRule(listeningAt: "127.0.0.1").admits(nil))
  }
}
