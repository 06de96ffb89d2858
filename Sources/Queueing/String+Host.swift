internal import Glibc

extension String {
  /// Whether two hosts of URLs are the same, as far as can be told without a name server: case and spelling
  /// make no difference, and `localhost`, 127.0.0.1, ::1, 0.0.0.0 and `::` are all this machine.
  package func isSameHost(as other: String) -> Bool { plainHost == other.plainHost }

  private var plainHost: String {
    var address = in_addr()
    if unsafe inet_aton(self, &address) != 0 { return Self.plainHost(address.s_addr) }
    var bytes = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET6, self, &bytes) == 1 {
      // `::`, `::1` and IPv4-mapped addresses (RFC 4291 sections 2.5.2, 2.5.3, 2.5.5.2).
      if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes[15] <= 1 { return "localhost" }
      if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10...11] == [255, 255] {
        return Self.plainHost(bytes[12...].reduce(0) { $0 << 8 | UInt32($1) }.bigEndian)
      }
      return "\(bytes)"
    }
    let name = (hasSuffix(".") ? String(dropLast()) : self).lowercased()
    return name.hasSuffix(".localhost") ? "localhost" : name
  }

  /// - Parameter address: IPv4, in network byte order. 0.0.0.0 connects to this machine; another address of
  ///   127/8 may have another server.
  private static func plainHost(_ address: UInt32) -> String {
    [0, 0x7F00_0001].contains(address.bigEndian) ? "localhost" : "\(address)"
  }
}
