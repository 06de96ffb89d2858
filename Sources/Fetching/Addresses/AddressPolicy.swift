internal import Supporting

/// Which addresses may be connected to. Asked at the socket: no spelling or redirect gets around it.
package struct AddressPolicy: Sendable {
  /// Opened by the operator, whatever `SpecialRange.table` says.
  package var allowed: [AddressRange]
  /// Closed by the operator, even if allowed or public.
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

/// A range that is not public, or whose addresses can embed one that is not.
package struct SpecialRange: Sendable, Equatable {
  package let range: AddressRange
  package let purpose: String

  static let table: [SpecialRange] = rows.compactMap { row in
    (try? AddressRange(row.range)).map { SpecialRange(range: $0, purpose: row.purpose) }
  }

  /// IANA special-purpose registries of 2025-10-09 (RFC 6890), and cloud providers' metadata addresses.
  static let rows: [(range: String, purpose: String)] = [
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private network"),
    ("100.64.0.0/10", "carrier-grade NAT, cloud metadata"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "Azure platform address"),
    ("169.254.0.0/16", "link-local, cloud metadata"),
    ("172.16.0.0/12", "private network"),
    ("192.0.0.0/24", "IETF protocol assignments, cloud metadata"),
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "AS112"),
    ("192.52.193.0/24", "AMT"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private network"),
    ("192.175.48.0/24", "AS112"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved, broadcast"),
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::/96", "IPv4-compatible"),
    ("::ffff:0:0:0/96", "IPv4-translated"),
    ("64:ff9b::/96", "NAT64"),
    ("64:ff9b:1::/48", "NAT64, local use"),
    ("100::/64", "discard only"),
    ("100:0:0:1::/64", "dummy prefix"),
    ("2001::/23", "IETF protocol assignments, Teredo"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4"),
    ("2620:4f:8000::/48", "AS112"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing"),
    ("fc00::/7", "unique local"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
    // Public addresses are in 2000::/3 only (RFC 4291 section 2.4).
    ("::/3", "not global unicast"),
    ("4000::/2", "not global unicast"),
    ("8000::/1", "not global unicast"),
  ]
}
