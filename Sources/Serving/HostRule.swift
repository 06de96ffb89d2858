internal import Supporting

/// Checks which host a request is for. In a DNS rebinding attack, a stranger's name resolves to
/// this machine, and a web page under that name could read what is meant for this machine only.
struct HostRule: Sendable {
  private let isForMachineOnly: Bool

  /// Admits every host if other machines can reach `address`: the names they use are not known.
  init(listeningAt address: String) { isForMachineOnly = IPAddress(address)?.isLoopback == true }

  private init(isForMachineOnly: Bool) { self.isForMachineOnly = isForMachineOnly }

  /// For a server that does not trust a request just because it comes from this machine.
  static let none = HostRule(isForMachineOnly: false)

  /// - Parameter field: the value of `Host`, or nil if there is none. Browsers always send it.
  func admits(_ field: String?) -> Bool {
    guard isForMachineOnly, let field else { return true }
    // Other text is neither an address nor localhost, and comparing it may take long.
    guard field.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    let (host, isBracketed, _) = field[...].hostAndPort
    let name = String(host)
    if !isBracketed, name.isSameASCII(as: "localhost") { return true }
    guard let address = IPAddress(name) else { return false }
    return address.isLoopback && address.family == (isBracketed ? .v6 : .v4)
  }
}
