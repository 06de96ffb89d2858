internal import Glibc

/// Whom a request has to be for. A page in a browser whose name was made to lead to this machine ("DNS
/// rebinding") asks in that name, and would read what is meant for those on the machine.
struct HostRule: Sendable {
  private let isForMachineOnly: Bool

  /// - Parameter address: the one listened at. If other machines can reach it, the names they use are not
  ///   known here.
  init(listeningAt address: String) {
    isForMachineOnly = Self.isLoopback(address, in: AF_INET) || Self.isLoopback(address, in: AF_INET6)
  }

  /// - Parameter field: the value of `Host`; nil where there is none, as with programs other than browsers.
  func admits(_ field: String?) -> Bool {
    guard isForMachineOnly, let field else { return true }
    // No address and no localhost, and it may take long to compare.
    guard field.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    if field.hasPrefix("[") {
      guard let end = field.firstIndex(of: "]") else { return false }
      let port = field[end...].dropFirst()
      return (port.isEmpty || port.hasPrefix(":"))
        && Self.isLoopback(String(field[..<end].dropFirst()), in: AF_INET6)
    }
    let host = String(field.prefix { $0 != ":" })
    return host.lowercased() == "localhost" || Self.isLoopback(host, in: AF_INET)
  }

  /// However it is spelled: the address decides, which is 127.0.0.0/8, that inside of `::ffff:0:0/96`, or
  /// `::1`.
  private static func isLoopback(_ text: String, in family: Int32) -> Bool {
    // C would see the end of the text there.
    guard !text.utf8.contains(0) else { return false }
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(family, text, &bytes) == 1 else { return false }
    if family == AF_INET { return bytes[0] == 127 }
    let (prefix, last) = (bytes.prefix(12), bytes.suffix(4))
    return prefix.elementsEqual(mappedPrefix) && last.first == 127
      || prefix.allSatisfy { $0 == 0 } && last.elementsEqual([0, 0, 0, 1])
  }

  /// RFC 4291, section 2.5.5.2.
  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
}
