internal import Supporting

/// Decides which addresses may be connected to. Refuses `denied` ones, and accepts `allowed` ones even if
/// they are special. Checked at the socket: no spelling, redirect, or second DNS answer gets around it.
package struct AddressPolicy: Sendable {
  package var allowed: [AddressRange]
  package var denied: [AddressRange]
  private let own: OwnAddresses

  package init(
    allowing allowed: [AddressRange] = [], denying denied: [AddressRange] = [], own: OwnAddresses = .system
  ) {
    self.allowed = allowed
    self.denied = denied
    self.own = own
  }

  func check(_ address: IPAddress) throws(FetchError) {
    if let range = denial(of: address) { throw .addressDenied(address: "\(address)", network: "\(range)") }
    if let range = refusal(of: address) {
      throw .addressBlocked(address: "\(address)", purpose: range.purpose)
    }
  }

  func denial(of address: IPAddress) -> AddressRange? {
    if denied.isEmpty { return nil }
    let addresses = [address, address.unmapped] + address.embeddedAddresses
    return denied.first { range in addresses.contains { range.contains($0) } }
  }

  func refusal(of address: IPAddress) -> SpecialRange? {
    let address = address.unmapped
    if allowed.contains(where: { $0.contains(address) }) { return nil }
    if let range = SpecialRange.table.first(where: { $0.range.contains(address) }) { return range }
    if own.contains(address) { return SpecialRange(range: AddressRange(address), purpose: "of this machine") }
    return address.isatapAddress.flatMap { refusal(of: $0) }
  }
}

/// A range that is not public, or whose addresses can embed an address that is not public.
package struct SpecialRange: Sendable, Equatable {
  package let range: AddressRange
  package let purpose: String

  static let table = rows.flatMap { purpose, ranges in
    ranges.compactMap { try? SpecialRange(range: AddressRange($0), purpose: purpose) }
  }

  /// IANA special-purpose registries of 2025-10-09 (RFC 6890), and metadata addresses of clouds.
  static let rows: KeyValuePairs = [
    "this network": ["0.0.0.0/8"],
    "private network": ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
    "carrier-grade NAT, cloud metadata": ["100.64.0.0/10"],
    "loopback": ["127.0.0.0/8", "::1/128"],
    "Azure platform address": ["168.63.129.16/32"],
    "link-local, cloud metadata": ["169.254.0.0/16"],
    "IETF protocol assignments, cloud metadata": ["192.0.0.0/24"],
    "documentation": ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
    "AS112": ["192.31.196.0/24", "192.175.48.0/24", "2620:4f:8000::/48"],
    "AMT": ["192.52.193.0/24"],
    "6to4 relay": ["192.88.99.0/24"],
    "benchmarking": ["198.18.0.0/15"],
    "multicast": ["224.0.0.0/4", "ff00::/8"],
    "reserved, broadcast": ["240.0.0.0/4"],
    "unspecified": ["::/128"],
    "IPv4-compatible": ["::/96"],
    "IPv4-translated": ["::ffff:0:0:0/96"],
    "NAT64": ["64:ff9b::/96"],
    "NAT64, local use": ["64:ff9b:1::/48"],
    "discard only": ["100::/64"],
    "dummy prefix": ["100:0:0:1::/64"],
    "IETF protocol assignments, Teredo": ["2001::/23"],
    "6to4": ["2002::/16"],
    "segment routing": ["5f00::/16"],
    "unique local": ["fc00::/7"],
    "link-local": ["fe80::/10"],
    "site-local": ["fec0::/10"],
    // All public addresses are in 2000::/3 (RFC 4291 section 2.4).
    "not global unicast": ["::/3", "4000::/2", "8000::/1"],
  ]
}
