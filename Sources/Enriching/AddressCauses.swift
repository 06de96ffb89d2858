/// Advice about an address that may not be connected to. `--allow-network` opens an address to everybody who can
/// write a payload or a redirect, so it is suggested only for addresses that somebody may serve media from.
extension Cause {
  /// - Parameters:
  ///   - purpose: the purpose of the address's range, from the table in `AddressPolicy`.
  ///   - isRedirected: whether a server led there. The payload did not name it.
  static func address(_ address: String, purpose: String, isRedirected: Bool) -> Cause? {
    if isRedirected {
      return Cause(
        "link to the file itself: the redirect to this address may be an attempt to spy on your network, so keep it closed"
      )
    }
    if let cause = of(purpose, in: closed) { return cause }
    guard let scope = openable.first(where: { purpose.contains($0.mark) })?.scope else { return nil }
    let network = "\(address)/\(address.contains(":") ? 128 : 32)"
    return Cause(
      "serve the media from a public address; if this server is yours, --allow-network \(network) opens it, but then anyone who writes a payload or a redirect can reach \(scope)"
    )
  }

  private static let openable: [(mark: String, scope: String)] = [
    ("private network", "all that it serves"), ("unique local", "all that it serves"),
    ("loopback", "all services of this machine"), ("of this machine", "all services of this machine"),
  ]

  /// Advice by the purpose of a range that stays closed.
  private static let closed = [
    Cause(
      ["cloud metadata", "azure"],
      "serve the media from a public address, and keep this one closed: clouds give the machine's own credentials to anyone who asks there"
    ),
    Cause(
      ["link-local"],
      "serve the media from a public address, and keep this one closed: it leads to the devices next to this machine"
    ),
    Cause(
      ["multicast", "broadcast"],
      "correct the host's address: this one is for many machines at once, and serves no files"),
    Cause(
      ["documentation", "benchmarking", "discard", "dummy", "as112", "amt", "segment routing"],
      "correct the host's address: nobody serves files from this range"),
    Cause(
      ["this network", "unspecified"], "correct the host's address: this one stands for no machine"),
    Cause(
      ["nat64", "6to4", "teredo", "ipv4-"],
      "give the host an IPv6 or IPv4 address of its own: this one hides another, which may be private"),
  ]
}
