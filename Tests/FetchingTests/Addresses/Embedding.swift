import Supporting
import Testing

@testable import Fetching

/// A way to embed an IPv4 address in an IPv6 address.
struct Embedding: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Whether the IPv6 address is judged like the one inside. Otherwise it is always refused.
  let isTransparent: Bool
  private let prefix: String
  /// Places the bits of the IPv4 address in the IPv6 address.
  private let place: @Sendable (UInt128) -> UInt128

  init(
    _ name: String, isTransparent: Bool = false, _ prefix: String,
    _ place: @escaping @Sendable (UInt128) -> UInt128 = { $0 }
  ) {
    testDescription = name
    self.isTransparent = isTransparent
    self.prefix = prefix
    self.place = place
  }

  static let all = [
    Embedding("mapped", isTransparent: true, "::ffff:0:0"),
    Embedding("ISATAP", isTransparent: true, "2606:4700::5efe:0:0"),
    Embedding("ISATAP, universal", isTransparent: true, "2606:4700::200:5efe:0:0"),
    Embedding("compatible", "::"), Embedding("translated", "::ffff:0:0:0"), Embedding("NAT64", "64:ff9b::"),
    // RFC 6052 section 2.2: 16 bits, 8 zero bits, the other 16 bits.
    Embedding("NAT64, local use", "64:ff9b:1::") { ($0 >> 16) << 64 | ($0 & 0xffff) << 40 },
    Embedding("NAT64, local use, at the end", "64:ff9b:1::"), Embedding("6to4", "2002::") { $0 << 80 },
    // RFC 4380 section 4: the server's address, and the client's address with all bits inverted.
    Embedding("Teredo server", "2001::") { $0 << 64 },
    Embedding("Teredo client", "2001::") { $0 ^ 0xffff_ffff },
  ]

  func address(of inner: IPAddress) -> IPAddress {
    IPAddress(family: .v6, value: (IPAddress(prefix)?.value ?? 0) | place(inner.value))
  }
}
