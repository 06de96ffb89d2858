internal import Supporting

/// Checks which host a request is for. If a name is made to lead to this machine ("DNS rebinding"), a page in
/// a browser asks in that name, and would read what is meant for this machine only.
struct HostRule: Sendable {
  private let isForMachineOnly: Bool

  /// If other machines can reach `address`, the names they use are not known.
  init(listeningAt address: String) { isForMachineOnly = IPAddress(address)?.isLoopback == true }

  /// - Parameter field: the value of `Host`. Only programs that are no browsers leave it out.
  func admits(_ field: String?) -> Bool {
    guard isForMachineOnly, let field else { return true }
    // Neither an address nor localhost, and it may take long to compare.
    guard field.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    let (host, isBracketed, _) = field[...].hostAndPort
    if !isBracketed, host.lowercased() == "localhost" { return true }
    guard let address = IPAddress(String(host)) else { return false }
    return address.isLoopback && address.family == (isBracketed ? .v6 : .v4)
  }
}
