internal import Supporting

/// Where pushes go, and how many at once.
struct PushTarget: Sendable {
  /// A name or an address, without brackets.
  let host: String
  let port: Int
  /// For pushes without a topic.
  let topic: String?
  /// How many connections there may be, 1 to 8.
  let connections: Int
  /// Pushes in a second over all connections. Nil: as many as APNs takes.
  let rate: Int?
  /// A PEM file of authorities to trust in addition to the system's.
  let certificateFile: String?
  /// Finds the addresses of a host. Tests have their own.
  var lookUp: @Sendable (_ host: String, _ port: Int) -> HostLookup.Addresses = HostLookup.look
  /// The id of the first stream on each connection. Tests begin near the end of the ids.
  var firstStream: Int32?

  /// As in requests (RFC 9113 section 8.3.1).
  var authority: String { port == 443 ? host.bracketingIPv6 : "\(host.bracketingIPv6):\(port)" }
}
