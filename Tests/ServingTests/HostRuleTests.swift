import Testing

@testable import Serving

@Suite("The Host of a request")
struct HostRuleTests {
  @Test(
    "must be this machine if the server listens on loopback",
    arguments: [
      "localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:8080", "127.8.9.10:1", "[::1]:8080", "[::1]",
      "[0:0:0:0:0:0:0:1]:8080", "[0000::0001]", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]:8080",
    ])
  func own(host: String) {
    for address in Self.loopback { #expect(HostRule(listeningAt: address).admits(host), "\(address)") }
  }

  /// All of these are spellings of addresses in 127.0.0.0/8, or of `::1`.
  private static let loopback = [
    "127.0.0.1", "127.8.9.10", "::1", "0:0:0:0:0:0:0:1", "0::0001", "::0.0.0.1", "::ffff:127.0.0.1",
    "::FFFF:7F00:1",
  ]

  @Test(
    "cannot be a name that a name server points to this machine",
    arguments: [
      "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "127.evil.example",
      "localhost.evil.example", "",
      "127.0.0.256", "10.0.0.1:8080", "[fe80::1]:8080", "[::ffff:10.0.0.1]", "::1", "[127.0.0.1]",
      "[::1].evil.example", "[::1", "[::127.0.0.1]", "127.0.0.1\0.evil.example", "[::2]", "127.1",
      "localhost\u{301}", "[::1]\u{301}",
    ])
  func foreign(host: String) {
    for address in Self.loopback { #expect(!HostRule(listeningAt: address).admits(host), "\(address)") }
    // At these addresses, the server may be reached by names that it does not know.
    #expect(HostRule(listeningAt: "0.0.0.0").admits(host))
    #expect(HostRule(listeningAt: "10.0.0.1").admits(host))
    #expect(HostRule(listeningAt: "::").admits(host))
    #expect(HostRule(listeningAt: "::ffff:10.0.0.1").admits(host))
  }

  @Test("may be missing, because no browser omits it") func missing() {
    #expect(HostRule(listeningAt: "127.0.0.1").admits(nil))
  }
}
