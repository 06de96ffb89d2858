package import Glibc

/// An IPv4 or IPv6 address as a number.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  package enum Family: Sendable { case v4, v6 }

  package let family: Family
  // Not a UInt128: an async function that is passed one on the stack returns to a wrong address,
  // and the process ends (Swift 6.3.1, optimized or not).
  private let high, low: UInt64

  package init(family: Family, value: UInt128) {
    self.family = family
    high = UInt64(truncatingIfNeeded: value >> 64)
    low = UInt64(truncatingIfNeeded: value)
  }

  /// The address in network order as a number: 32 or 128 bits.
  package var value: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// Parses dotted decimal, or RFC 4291 section 2.2 without zone or brackets, as `inet_pton(3)`
  /// does.
  package init?(_ text: String) {
    var (v4, v6) = (in_addr(), in6_addr())
    // To C, the text would end at a NUL.
    if text.utf8.contains(0) { return nil }
    if unsafe inet_pton(AF_INET, text, &v4) == 1 {
      self.init(v4)
    } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
      self.init(v6)
    } else {
      return nil
    }
  }

  /// The address in a `sockaddr_in` or `sockaddr_in6`; nil for any other family.
  package init?(_ address: UnsafePointer<sockaddr>) {
    let bytes = unsafe UnsafeRawPointer(address)
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET: self.init(unsafe bytes.loadUnaligned(as: sockaddr_in.self).sin_addr)
    case AF_INET6: self.init(unsafe bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }

  private init(_ network: in_addr) {
    self.init(family: .v4, value: UInt128(UInt32(bigEndian: network.s_addr)))
  }

  private init(_ network: in6_addr) {
    let number = unsafe withUnsafeBytes(of: network) { unsafe $0.loadUnaligned(as: UInt128.self) }
    self.init(family: .v6, value: UInt128(bigEndian: number))
  }

  /// The IPv4 address of an IPv4-mapped one (`::ffff:0:0/96`, RFC 4291 section 2.5.5.2), or `self`.
  package var unmapped: IPAddress {
    guard family == .v6, value >> 32 == 0xffff else { return self }
    return IPAddress(family: .v4, value: value & 0xffff_ffff)
  }

  /// Whether it is in 127.0.0.0/8, even if mapped to `::ffff:0:0/96`, or is `::1`.
  package var isLoopback: Bool {
    let plain = unmapped
    return plain.family == .v4 ? plain.value >> 24 == 127 : plain.value == 1
  }

  /// As `inet_ntop(3)` spells it.
  package var description: String {
    let (code, count) = family == .v4 ? (AF_INET, 4) : (AF_INET6, 16)
    let bytes = unsafe withUnsafeBytes(of: value.bigEndian) { unsafe Array($0.suffix(count)) }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) {
      unsafe inet_ntop(code, bytes, $0.baseAddress, socklen_t($0.count)).map { unsafe String(cString: $0) }
        ?? "?"
    }
  }
}
