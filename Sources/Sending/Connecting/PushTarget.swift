internal import Supporting

/// The host that pushes go to, and how many go there at once.
struct PushTarget: Sendable {
  /// A name or an address, without brackets.
  let host: String
  let port: Int
  /// The topic of pushes without one.
  let topic: String?
  /// The most connections at the same time, 1 to 8.
  let connections: Int
  /// The most pushes per second over all connections. Nil means as many as APNs takes.
  let rate: Int?
  /// A PEM file of authorities to trust in addition to the system's.
  let certificateFile: String?
  /// Finds the addresses of a host. Tests replace it.
  var lookUp: @Sendable (_ host: String, _ port: Int) -> HostLookup.Addresses = HostLookup.look
  /// The id of the first stream on each connection. Tests start near the last id.
  var firstStream: Int32?

  /// The authority in requests (RFC 9113 section 8.3.1).
  var authority: String { port == 443 ? host.bracketingIPv6 : "\(host.bracketingIPv6):\(port)" }
}
