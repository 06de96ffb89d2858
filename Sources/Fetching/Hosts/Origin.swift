internal import Supporting

/// Whom a URL asks: scheme, host and port (RFC 6454). The same for all spellings that libcurl and name
/// servers do not tell apart.
struct Origin: Hashable, Sendable, CustomStringConvertible {
  let description: String

  init(_ url: RemoteURL) {
    let host = Resolver.fullName(url.host).bracketingIPv6
    description = "\(url.scheme.rawValue)://\(host):\(url.port)"
  }
}
