internal import Glibc

extension String {
  /// Whether two hosts of URLs are one, as far as it can be told without a name server: case and spelling make no difference, and this
  /// machine is one host as `localhost`, 127.0.0.1, ::1, 0.0.0.0 and `::`.
  package func isSameHost(as other: String) -> Bool { plainHost == other.plainHost }

  private var plainHost: String {
    var address = in_addr()
    if unsafe inet_aton(self, &address) != 0 { return Self.plainHost(address.s_addr) }
    var bytes = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET6, self, &bytes) == 1 {
      // `::`, `::1` and what stands for an address of IPv4 (RFC 4291 sections 2.5.2, 2.5.3, 2.5.5.2).
      if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] <= 1 { return "localhost" }
      if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10...11] == [255, 255] {
        return Self.plainHost(bytes[12...].reduce(0) { $0 << 8 | UInt32($1) }.bigEndian)
      }
      return "\(bytes)"
    }
    let name = (hasSuffix(".") ? String(dropLast()) : self).lowercased()
    return name.hasSuffix(".localhost") ? "localhost" : name
  }

  /// - Parameter address: of IPv4, in network order. Who connects to 0.0.0.0 gets this machine; at another address of 127/8 there may be
  ///   another server.
  private static func plainHost(_ address: UInt32) -> String {
    [0, 0x7F00_0001].contains(address.bigEndian) ? "localhost" : "\(address)"
  }
}
