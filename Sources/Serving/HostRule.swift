internal import Supporting

/// Whom a request has to be for. A page in a browser whose name was made to lead to this machine ("DNS
/// rebinding") asks in that name, and would read what is meant for those on the machine.
struct HostRule: Sendable {
  private let isForMachineOnly: Bool

  /// - Parameter address: the one listened at. If other machines can reach it, the names they use are not
  ///   known here.
  init(listeningAt address: String) { isForMachineOnly = IPAddress(address)?.isLoopback == true }

  /// - Parameter field: the value of `Host`; nil where there is none, as with programs other than browsers.
  func admits(_ field: String?) -> Bool {
    guard isForMachineOnly, let field else { return true }
    // No address and no localhost, and it may take long to compare.
    guard field.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    if field.hasPrefix("[") {
      guard let end = field.firstIndex(of: "]") else { return false }
      let port = field[end...].dropFirst()
      return (port.isEmpty || port.hasPrefix(":"))
        && Self.isLoopback(String(field[..<end].dropFirst()), in: .v6)
    }
    let host = String(field.prefix { $0 != ":" })
    return host.lowercased() == "localhost" || Self.isLoopback(host, in: .v4)
  }

  private static func isLoopback(_ text: String, in family: IPAddress.Family) -> Bool {
    guard let address = IPAddress(text), address.family == family else { return false }
    return address.isLoopback
  }
}
