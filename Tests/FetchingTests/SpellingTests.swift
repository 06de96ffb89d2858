import Fetching
import TestSupport
import Testing

/// Hosts that are loopback to somebody: none of them ever reaches a listener there that was not allowed.
@Suite("Hosts spelled oddly", .timeLimit(.minutes(2)))
struct SpellingTests {
  private static let loopback = FetchError.addressBlocked(address: "127.0.0.1", purpose: "loopback")

  private static func unknown(_ host: String) -> FetchError {
    .dnsFailed(host: host, detail: "", isTransient: false)
  }

  static let hosts: [(String, FetchError)] =
    [
      "127.0.0.1", "127.1", "127.0.1", "0177.1", "0177.0.0.01", "017700000001", "0x7f.1", "0x7f.0.0.1",
      "0x7f000001",
      "2130706433", "127.000.000.001", "１２７.0.0.1", "①②⑦.⓪.⓪.①", "127。0。0。1", "localhost", "LOCALHOST",
      "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
      "local\u{ad}host",
    ].map { ($0, loopback) }
    + [
      ("0", .addressBlocked(address: "0.0.0.0", purpose: "this network")),
      ("127.255.255.254", .addressBlocked(address: "127.255.255.254", purpose: "loopback")),
      ("[::1]", .addressBlocked(address: "::1", purpose: "loopback")),
      ("[::]", .addressBlocked(address: "::", purpose: "unspecified")),
      ("[::127.0.0.1]", .addressBlocked(address: "::127.0.0.1", purpose: "IPv4-compatible")),
      ("[::ffff:127.0.0.1]", .addressBlocked(address: "::ffff:127.0.0.1", purpose: "loopback")),
      ("[::ffff:7f00:1]", .addressBlocked(address: "::ffff:127.0.0.1", purpose: "loopback")),
      ("[64:ff9b::7f00:1]", .addressBlocked(address: "64:ff9b::7f00:1", purpose: "NAT64")),
      ("[2002:7f00:1::]", .addressBlocked(address: "2002:7f00:1::", purpose: "6to4")),
      ("[::1%25x]", .urlInvalid(detail: "")), ("[::1%25lo]", .urlInvalid(detail: "")),
      ("media.example\\@127.0.0.1", .urlInvalid(detail: "")),
      ("127.0.0.1\\@media.example", .urlInvalid(detail: "")),
      ("media.example@127.0.0.1", .urlInvalid(detail: "")), ("127.0.0.1 ", .urlInvalid(detail: "")),
      ("127.0.0.1%00.media.example", .urlInvalid(detail: "")),
    ]

  @Test("none reaches loopback", arguments: hosts)
  func blocked(host: String, error: FetchError) async throws {
    try await withHostileServer { server in
      try await withNameServer { names in
        let fetcher = try server.fetcher {
          $0.addresses = AddressPolicy()
          $0.nameServers = names.address
        }
        let fetch = await fetcher.get(server.url(.silent, host: host))
        #expect(fetch.failure == error)
        #expect(server.connections == 0)
      }
    }
  }

  /// To c-ares these are names, to libcurl perhaps addresses. Whoever owns the name answers with an address that is allowed,
  /// and hopes. Nobody listens there.
  @Test(
    "a name to one and an address to the other is not connected to as the latter",
    arguments: ["127.0.0.1.", "0x7f.1.", "2130706433.", "localhost.", "０x7f.1"])
  func ambiguous(host: String) async throws {
    try await withHostileServer { server in
      let spellings = Set([host, host.hasSuffix(".") ? String(host.dropLast()) : host, "0x7f.1"])
      let answers = spellings.map { ($0, NameAnswer.addresses(["127.0.0.3"])) }
      try await withNameServer(Dictionary(uniqueKeysWithValues: answers)) { names in
        let range = try AddressRange("127.0.0.3")
        let fetcher = try server.fetcher {
          $0.addresses = AddressPolicy(allowing: [range])
          $0.nameServers = names.address
        }
        let fetch = await fetcher.get(server.url(.silent, host: host))
        let ends = [FetchError.connectFailed(detail: "", isTransient: false), Self.loopback]
        #expect(fetch.failure.map(ends.contains) == true, "\(fetch.result)")
        #expect(server.connections == 0)
      }
    }
  }
}
