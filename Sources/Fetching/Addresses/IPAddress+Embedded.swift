internal import Supporting

extension IPAddress {
  /// The IPv4 address in an ISATAP interface identifier (RFC 5214 section 6.1), with any prefix.
  var isatapAddress: IPAddress? {
    guard family == .v6, (value >> 32) & 0xfdff_ffff == 0x5efe else { return nil }
    return v4(value)
  }

  /// IPv4 addresses that a router may send packets to instead; `unmapped` handles mapped ones.
  var embeddedAddresses: [IPAddress] {
    guard family == .v6 else { return [] }
    let prefixed: [IPAddress] =
      switch (value >> 112, value >> 96, value >> 80, value >> 32) {
      // IPv4-compatible (RFC 4291 section 2.5.5.1), IPv4-translated (RFC 2765), NAT64 (RFC 6052).
      case (_, _, _, 0), (_, _, _, 0xffff_0000), (_, _, _, 0x0064_ff9b << 64): [v4(value)]
      // NAT64 for local use (RFC 8215) with prefixes of 96 to 48 bits. Skips the byte after bit 64.
      case (_, _, 0x0064_ff9b_0001, _):
        [
          v4(value), v4(value >> 24), v4((value >> 32) & 0xff_ffff | (value >> 64) << 24),
          v4((value >> 40) & 0xffff | (value >> 64) << 16),
        ]
      // Teredo (RFC 4380 section 4): the server, and the client with its bits inverted.
      case (_, 0x2001_0000, _, _): [v4(value >> 64), v4(~value)]
      // 6to4 (RFC 3056 section 2).
      case (0x2002, _, _, _): [v4(value >> 80)]
      default: []
      }
    return prefixed + (isatapAddress.map { [$0] } ?? [])
  }

  private func v4(_ number: UInt128) -> IPAddress { IPAddress(family: .v4, value: number & 0xffff_ffff) }
}
