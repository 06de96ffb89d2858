internal import Supporting

/// Scheme and authority of a URL (RFC 3986 section 3), as libcurl's own parser has read them. A class, because
/// most URLs have that of one before them, and each request asks for its parts several times.
final class URLRoot: Sendable {
  /// What it is written as, the port where it was given.
  let text: String
  let scheme: RemoteURL.Scheme
  /// As `RemoteURL.host`.
  let host: String
  let port: Int
  let origin: Origin
  /// The address that the host is, when it is no name.
  let literalAddress: IPAddress?

  /// - Parameter host: as libcurl writes it, IPv6 in brackets.
  init(_ scheme: RemoteURL.Scheme, _ host: String, _ port: Int, isPortGiven: Bool) {
    text = "\(scheme.rawValue)://\(host)\(isPortGiven ? ":\(port)" : "")"
    self.scheme = scheme
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = port
    origin = Origin(scheme, self.host, port)
    literalAddress = IPAddress(self.host)
  }
}
