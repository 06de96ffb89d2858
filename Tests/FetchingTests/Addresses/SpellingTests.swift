import Fetching
import Misbehaving
import TestSupport
import Testing

/// Hosts that some programs read as loopback. None may reach a listener there that is not allowed.
@Suite("Hosts spelled oddly", .timeLimit(.minutes(5)))
struct SpellingTests {
  private static let loopback = FetchError.addressBlocked(address: "127.0.0.1", purpose: "loopback")

  @Test("no spelling of loopback reaches it", arguments: LoopbackSpelling.all)
  func blocked(spelling: LoopbackSpelling) async throws {
    // The server listens on all addresses of this machine.
    try await withHostileServer(on: "0.0.0.0") { server in
      try await withNameServer { names in
        let fetcher = try server.fetcher {
          $0.addresses = AddressPolicy()
          $0.nameServers = names.address
        }
        let fetch = await fetcher.get(server.url(.silent, host: spelling.host))
        #expect(fetch.failure == FetchError(spelling))
        #expect(server.connections == 0)
      }
    }
  }

  @Test("no redirect to a spelling of loopback reaches it", arguments: LoopbackSpelling.all)
  func redirected(spelling: LoopbackSpelling) async throws {
    try await withHostileServer { target in
      try await withHostileServer(on: "127.0.0.2") { server in
        try await withNameServer { names in
          let door = try AddressRange("127.0.0.2")
          let fetcher = try server.fetcher {
            $0.addresses = AddressPolicy(allowing: [door])
            $0.allowedPorts.insert(target.port)
            $0.nameServers = names.address
          }
          let location = target.url(.silent, host: spelling.host)
          let fetch = await fetcher.get(server.url(.redirect(to: location)))
          let error = FetchError(spelling)
          #expect(fetch.steps == [Step(302), Step(nil, error: error)])
          #expect(fetch.failure == error)
          #expect(target.connections == 0)
        }
      }
    }
  }

  /// libcurl reads one slash or three as two.
  @Test(
    "loopback is refused after one slash or three, too",
    arguments: ["http:/127.0.0.1:PORT/", "http:///127.0.0.1:PORT/"])
  func slashes(url: String) async throws {
    try await withHostileServer { server in
      let fetcher = try server.fetcher { $0.addresses = AddressPolicy() }
      #expect(await fetcher.get(url.replacing("PORT", with: "\(server.port)")).failure == Self.loopback)
      #expect(server.connections == 0)
    }
  }

  /// c-ares reads these hosts as names, libcurl may read them as addresses. The owner of the name
  /// answers with an allowed address, on which nothing listens.
  @Test(
    "a host that c-ares reads as a name and libcurl as an address does not reach that address",
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

extension FetchError {
  /// The error, without its detail, for a host that is spelled like this.
  fileprivate init(_ spelling: LoopbackSpelling) {
    switch spelling.fate {
    case .blocked(let address, let purpose): self = .addressBlocked(address: address, purpose: purpose)
    case .invalid: self = .urlInvalid(detail: "")
    }
  }
}
