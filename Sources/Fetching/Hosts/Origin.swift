internal import Supporting

/// Whom a URL asks: scheme, host and port (RFC 6454). The same for all spellings that libcurl and name
/// servers do not tell apart.
struct Origin: Hashable, Sendable, CustomStringConvertible {
  let description: String
  /// Hashed once: each request is looked up a dozen times, by what all transfers share.
  private let descriptionHash: Int

  init(_ scheme: RemoteURL.Scheme, _ host: String, _ port: Int) {
    description = "\(scheme.rawValue)://\(Resolver.fullName(host).bracketingIPv6):\(port)"
    descriptionHash = description.hashValue
  }

  func hash(into hasher: inout Hasher) { hasher.combine(descriptionHash) }
}
