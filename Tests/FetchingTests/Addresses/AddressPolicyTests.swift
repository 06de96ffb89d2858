@testable import Fetching
import Supporting
import TestSupport
import Testing

/// Which addresses may be connected to, tested at the edges of each range.
@Suite("AddressPolicy")
struct AddressPolicyTests {
  private let policy = AddressPolicy()

  @Test("every row of the table can be parsed")
  func rows() {
    let rows = SpecialRange.rows.flatMap { row in row.value.map { "\($0): \(row.key)" } }
    #expect(SpecialRange.table.map { "\($0.range): \($0.purpose)" } == rows)
  }

  @Test(
    "each range is refused from its first to its last address, and not beyond", arguments: SpecialRange.table)
  func edges(row: SpecialRange) {
    let range = row.range
    for address in [range.base, range.middle, range.last] {
      #expect(range.contains(address))
      // If ranges overlap, the first one in the table gives the reason.
      let first = SpecialRange.table.first { $0.range.contains(address) }
      #expect(policy.refusal(of: address) == first)
    }
    for address in [range.below, range.above].compactMap(\.self) {
      #expect(!range.contains(address))
      let other = SpecialRange.table.first { $0.range.contains(address) }
      #expect(policy.refusal(of: address) == other)
    }
  }

  /// The neighbors of the ranges, written out so that a row that is too wide is noticed.
  @Test(
    "public addresses are allowed",
    arguments: [
      "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
      "126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0",
      "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.31.195.255",
      "192.31.197.0", "192.52.192.255", "192.52.194.0", "192.88.98.255", "192.88.100.0", "192.167.255.255",
      "192.169.0.0", "192.175.47.255", "192.175.49.0", "198.17.255.255", "198.20.0.0", "198.51.99.255",
      "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2001:200::1", "2001:db7:ffff::1",
      "2001:db9::", "2003::1", "2606:4700::1111", "2620:4f:7fff::1", "2620:4f:8001::", "2a00:1450:4001::1",
      "2000::", "3ffe:ffff::1", "3fff:1000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ])
  func publicAddresses(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(policy.refusal(of: address) == nil)
  }

  @Test(
    "well-known targets are refused, with their purpose",
    arguments: [
      ("169.254.169.254", "link-local, cloud metadata"),
      ("100.100.100.200", "carrier-grade NAT, cloud metadata"),
      ("192.0.0.192", "IETF protocol assignments, cloud metadata"),
      ("168.63.129.16", "Azure platform address"),
      ("255.255.255.255", "reserved, broadcast"), ("0.0.0.0", "this network"),
      ("fd00:ec2::254", "unique local"),
      ("::", "unspecified"), ("::1", "loopback"), ("::7f00:1", "IPv4-compatible"),
      ("::ffff:0:7f00:1", "IPv4-translated"),
      ("64:ff9b::8.8.8.8", "NAT64"), ("64:ff9b:1::a00:1", "NAT64, local use"), ("2002:7f00:1::", "6to4"),
      ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "IETF protocol assignments, Teredo"),
      ("fec0::1", "site-local"),
    ])
  func targets(text: String, purpose: String) throws {
    let address = try #require(IPAddress(text))
    #expect(policy.refusal(of: address)?.purpose == purpose)
  }

  /// RFC 4291 section 2.4; IANA assigns public addresses of 2000::/3 only.
  @Test(
    "IPv6 addresses outside of 2000::/3 are not public",
    arguments: [
      "64:ff9b:2::", "64:ff9c::", "64:ffff::1", "100:0:0:2::", "200::1", "201:db8::1", "3ff:ffff::1",
      "400::1",
      "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "4000::1", "5eff:ffff::1", "5f01::1", "6000::1",
      "7fff::1", "8000::1", "a000::1", "c000::1", "e000::1", "f000::1", "f800::1", "fbff::1", "fe00::",
      "fe00::1", "fe7f:ffff::1", "::1:0:0:0", "::ffff:1:0:0",
    ])
  func outside(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(policy.refusal(of: address)?.purpose == "not global unicast")
    #expect(throws: FetchError.addressBlocked(address: text, purpose: "not global unicast")) {
      try policy.check(address)
    }
  }

  /// The first and the last address of each range, and the addresses below and above.
  @Test("an IPv4 address inside an IPv6 address is judged like the IPv4 address", arguments: Embedding.all)
  func embedded(embedding: Embedding) throws {
    let ranges = SpecialRange.table.map(\.range).filter { $0.base.family == .v4 }
    let open = try #require(IPAddress("8.8.8.8"))
    let edges = ranges.flatMap { [$0.base, $0.last, $0.below, $0.above].compactMap(\.self) } + [open]
    for inner in edges {
      let refusal = policy.refusal(of: embedding.address(of: inner))
      if embedding.isTransparent {
        #expect(refusal == policy.refusal(of: inner), "\(embedding.address(of: inner))")
      } else {
        #expect(refusal != nil, "\(embedding.address(of: inner))")
      }
    }
  }

  @Test("ranges that the operator allows are open, and their neighbors are not")
  func allowed() throws {
    let policy = AddressPolicy(allowing: [try AddressRange("10.1.0.0/16"), try AddressRange("fd00::/8")])
    for open in ["10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "2606:4700::5efe:10.1.2.3", "fd12::1"] {
      #expect(policy.refusal(of: try #require(IPAddress(open))) == nil, "\(open)")
    }
    for closed in [
      "10.0.255.255", "10.2.0.0", "::ffff:10.2.0.0", "fc00::1", "127.0.0.1", "::10.1.2.3", "2002:a01:203::",
    ] {
      #expect(policy.refusal(of: try #require(IPAddress(closed))) != nil, "\(closed)")
    }
  }

  @Test("ranges that the operator denies are closed, whether public or allowed, and their neighbors are not")
  func denied() throws {
    let policy = AddressPolicy(
      allowing: [try AddressRange("10.0.0.0/8"), try AddressRange("::/0")],
      denying: [
        try AddressRange("8.8.0.0/16"), try AddressRange("10.1.0.0/16"), try AddressRange("2606:4700::/32"),
      ])
    for (address, network) in [
      ("8.8.0.0", "8.8.0.0/16"), ("8.8.255.255", "8.8.0.0/16"), ("10.1.2.3", "10.1.0.0/16"),
      ("::ffff:8.8.8.8", "8.8.0.0/16"), ("2606:4700::1", "2606:4700::/32"),
    ] {
      #expect(throws: FetchError.addressDenied(address: address, network: network)) {
        try policy.check(try #require(IPAddress(address)))
      }
    }
    for open in ["8.7.255.255", "8.9.0.0", "10.0.255.255", "10.2.0.0", "2606:4701::1", "fd00::1"] {
      #expect(throws: Never.self, "\(open)") { try policy.check(try #require(IPAddress(open))) }
    }
  }

  @Test(
    "an address that the operator denies is also denied inside an IPv6 address that is allowed",
    arguments: Embedding.all
  )
  func deniedInside(embedding: Embedding) throws {
    let (inside, outside) = (try AddressRange("8.8.8.0/24"), try AddressRange("0.0.0.0/0"))
    let policy = AddressPolicy(allowing: [try AddressRange("::/0"), outside], denying: [inside])
    for (inner, isDenied) in [
      (inside.base, true), (inside.last, true), (inside.below, false), (inside.above, false),
    ] {
      let address = embedding.address(of: try #require(inner))
      #expect((policy.denial(of: address) == inside) == isDenied, "\(address)")
    }
  }

  /// The IANA registries as published by others.
  @Test("all published special ranges are refused") func vectors() throws {
    let bytes = try Files.read("\(Fixtures.vectors)/addresses/special-purpose-ranges.json")
    let texts = String(decoding: bytes, as: UTF8.self).split(separator: "\"").map(String.init)
    let ranges = texts.compactMap { $0.contains("/") ? try? AddressRange($0) : nil }
    #expect(ranges.count == 35)
    for range in ranges {
      #expect(policy.refusal(of: range.base) != nil, "\(range)")
      #expect(policy.refusal(of: range.middle) != nil, "\(range)")
      #expect(policy.refusal(of: range.last) != nil, "\(range)")
    }
  }
}
