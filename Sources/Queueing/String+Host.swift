internal import Glibc
internal import Supporting

extension String {
  /// Whether two hosts of URLs are the same, as far as can be known without a name server. Ignores
  /// case and spelling. `localhost`, 127.0.0.1, ::1, 0.0.0.0 and `::` are all this machine.
  package func isSameHost(as other: String) -> Bool { plainHost == other.plainHost }

  private var plainHost: String {
    if let address = (classfulAddress ?? IPAddress(self))?.unmapped {
      // 0.0.0.0 and `::` connect to this machine. Other addresses in 127/8 may have other servers.
      let isHere = address.family == .v4 ? [0, 0x7F00_0001].contains(address.value) : address.value <= 1
      return isHere ? "localhost" : "\(address)"
    }
    let name = (hasSuffix(".") ? String(dropLast()) : self).lowercased()
    return name.hasSuffix(".localhost") ? "localhost" : name
  }

  /// IPv4 in any spelling of `inet_aton(3)`, like 127.1.
  private var classfulAddress: IPAddress? {
    var address = in_addr()
    guard !utf8.contains(0), unsafe inet_aton(self, &address) != 0 else { return nil }
    return IPAddress(family: .v4, value: UInt128(UInt32(bigEndian: address.s_addr)))
  }
}
