package import Glibc

/// An IPv4 or IPv6 address as a number, so that ranges are compared and not spelled.
package struct IPAddress: Sendable, Hashable {
  /// The two families that a fetch may use. Anything else that a socket is asked for is refused.
  package enum Family: Sendable { case v4, v6 }

  package let family: Family
  // Not kept as a UInt128: an async function that is passed one on the stack returns to nowhere, and the
  // process ends (Swift 6.3.1, optimized or not).
  private let high, low: UInt64

  package init(family: Family, value: UInt128) {
    self.family = family
    high = UInt64(truncatingIfNeeded: value >> 64)
    low = UInt64(truncatingIfNeeded: value)
  }

  /// The address in network order as a number: 32 or 128 bits.
  package var value: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// Reads the canonical spellings that `inet_pton(3)` accepts: dotted decimal, and RFC 4291 section 2.2
  /// without zone or brackets.
  package init?(_ text: String) {
    // C would see the end of the text there.
    guard !text.utf8.contains(0) else { return nil }
    var (v4, v6) = (in_addr(), in6_addr())
    if unsafe text.withCString({ unsafe inet_pton(AF_INET, $0, &v4) }) == 1 {
      self.init(v4)
    } else if unsafe text.withCString({ unsafe inet_pton(AF_INET6, $0, &v6) }) == 1 {
      self.init(v6)
    } else {
      return nil
    }
  }

  /// The address in a `sockaddr_in` or `sockaddr_in6`; nil for any other family.
  package init?(_ address: UnsafePointer<sockaddr>) {
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET:
      self.init(unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr)
    case AF_INET6:
      self.init(unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }

  /// An IPv4-mapped address (`::ffff:0:0/96`, RFC 4291 section 2.5.5.2) is connected to as IPv4, and so it is
  /// judged as IPv4.
  package var unmapped: IPAddress {
    guard family == .v6, value >> 32 == 0xffff else { return self }
    return IPAddress(family: .v4, value: value & 0xffff_ffff)
  }

  /// Whether it is 127.0.0.0/8, also inside `::ffff:0:0/96`, or `::1`.
  package var isLoopback: Bool {
    let plain = unmapped
    return plain.family == .v4 ? plain.value >> 24 == 127 : plain.value == 1
  }

  private init(_ network: in_addr) {
    self.init(family: .v4, value: UInt128(UInt32(bigEndian: network.s_addr)))
  }

  private init(_ network: in6_addr) {
    let number = unsafe withUnsafeBytes(of: network) { unsafe $0.loadUnaligned(as: UInt128.self) }
    self.init(family: .v6, value: UInt128(bigEndian: number))
  }
}

extension IPAddress: CustomStringConvertible {
  /// As `inet_ntop(3)` spells it.
  package var description: String {
    let count = family == .v4 ? 4 : 16
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt128(8 * (count - 1 - $0))) }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      let family = self.family == .v4 ? AF_INET : AF_INET6
      return unsafe inet_ntop(family, bytes, text.baseAddress, socklen_t(text.count))
        .map { unsafe String(cString: $0) } ?? "?"
    }
  }
}
