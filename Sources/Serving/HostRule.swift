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
    let (host, isBracketed, _) = field[...].hostAndPort
    if !isBracketed, host.lowercased() == "localhost" { return true }
    guard let address = IPAddress(String(host)) else { return false }
    return address.isLoopback && address.family == (isBracketed ? .v6 : .v4)
  }
}
