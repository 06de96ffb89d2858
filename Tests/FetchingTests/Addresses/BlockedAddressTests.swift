import Misbehaving
import Supporting
import TestSupport
import Testing

@testable import Fetching

/// The table of ranges again, from the outside: URLs with these addresses, while a server listens
/// on all addresses of this machine.
@Suite("Blocked addresses", .timeLimit(.minutes(5)))
struct BlockedAddressTests {
  @Test("nothing connects to an address in a blocked range, however it is embedded")
  func literals() async throws {
    try await withHostileServer(on: "0.0.0.0") { server in
      let fetcher = try server.fetcher { $0.addresses = AddressPolicy() }
      for range in SpecialRange.table.map(\.range) {
        for address in [range.base, range.last].flatMap(Self.forms) {
          let host = address.family == .v4 ? "\(address)" : "[\(address)]"
          let fetch = await fetcher.get(server.url(.silent, host: host))
          guard case .addressBlocked(address.description, _) = fetch.failure else {
            Issue.record("\(host): \(fetch.result)")
            continue
          }
        }
      }
      #expect(server.connections == 0)
    }
  }

  @Test("nothing connects to a name of a blocked address, or after a redirect to such a name")
  func names() async throws {
    try await withHostileServer(on: "0.0.0.0") { server in
      let ranges = SpecialRange.table.map(\.range)
      let edges = ranges.flatMap { [$0.base, $0.last] }
      let hosts = edges.indices.map { "host-\($0).example" }
      let answers = zip(hosts, edges).map { host, address in
        (host, NameAnswer.addresses([address].spelled(.v4), v6: [address].spelled(.v6)))
      }
      try await withNameServer(Dictionary(uniqueKeysWithValues: answers)) { names in
        try await withHostileServer(on: "127.0.0.1") { door in
          let fetcher = try server.fetcher {
            $0.allowedPorts.insert(door.port)
            $0.addresses = AddressPolicy(allowing: [AddressRange(IPAddress(family: .v4, value: 0x7f00_0001))])
            $0.nameServers = names.address
          }
          for (host, address) in zip(hosts, edges) {
            let url = server.url(.silent, host: host)
            for first in [url, door.url(.redirect(to: url))] {
              let fetch = await fetcher.get(first)
              guard case .addressBlocked(address.description, _) = fetch.failure else {
                Issue.record("\(host) is \(address): \(fetch.result)")
                continue
              }
            }
          }
          #expect(server.connections == 0)
        }
      }
    }
  }

  private static func forms(of address: IPAddress) -> [IPAddress] {
    address.family == .v4 ? [address] + Embedding.all.map { $0.address(of: address) } : [address]
  }
}

extension [IPAddress] {
  fileprivate func spelled(_ family: IPAddress.Family) -> [String] {
    filter { $0.family == family }.map(\.description)
  }
}
