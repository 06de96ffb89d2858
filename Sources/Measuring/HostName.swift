/// The host that stands in a URL, and nothing else of it: what else is in it may be a secret.
enum HostName {
  /// In bytes: no name is longer (RFC 1035 section 2.3.4).
  private static let maximumLength = 253

  /// - Parameter url: as a payload has it, perhaps no URL at all.
  /// - Returns: in lower case, without user and port; nil where there is none.
  static func of(_ url: String) -> String? {
    guard let start = url.utf8.firstRange(of: "://".utf8)?.upperBound else { return nil }
    var host = url.utf8[start...].prefix { !"/?#\\".utf8.contains($0) }[...]
    if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[host.index(after: at)...] }
    if let colon = host.lastIndex(of: UInt8(ascii: ":")),
      host[host.index(after: colon)...].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    {
      host = host[..<colon]
    }
    guard !host.isEmpty, host.count <= maximumLength else { return nil }
    return String(decoding: host, as: UTF8.self).lowercased()
  }
}
