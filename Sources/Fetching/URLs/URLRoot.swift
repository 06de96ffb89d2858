internal import CCurl
internal import Supporting

/// The scheme and authority of a URL (RFC 3986 section 3). A class to save memory (`TaskPool`).
final class URLRoot: Sendable {
  let text: String
  let scheme: RemoteURL.Scheme
  let host: String
  let port: Int
  let origin: Origin
  let literalAddress: IPAddress?

  init(of parts: URLParts) throws(FetchError) {
    let name = try parts.get(CURLUPART_SCHEME) ?? ""
    guard let scheme = RemoteURL.Scheme(rawValue: name) else { throw .schemeNotAllowed(name) }
    guard let given = try parts.get(CURLUPART_HOST), !given.isEmpty else {
      throw .urlInvalid(detail: "it has no host")
    }
    // Only an IPv6 address, in brackets, can have a zone.
    if given.hasPrefix("["), try parts.get(CURLUPART_ZONEID) != nil {
      throw .urlInvalid(detail: "its host has a zone")
    }
    let host = try given.utf8.allSatisfy { $0 < 0x80 } ? given : parts.asciiHost()
    // Another parser would decode it once more and connect to another host.
    guard !host.utf8.contains(UInt8(ascii: "%")) else { throw .urlInvalid(detail: "its host has a % in it") }
    // The limit of RFC 1035 section 2.3.4, plus the dot at the end.
    guard host.utf8.count <= 254 else { throw .urlInvalid(detail: "its host is longer than 254 bytes") }
    let givenPort = try parts.get(CURLUPART_PORT)
    guard let port = givenPort.map({ Int($0) }) ?? scheme.port else {
      throw .urlInvalid(detail: "its port is not a number from 0 to 65535")
    }
    text = "\(scheme.rawValue)://\(host)\(givenPort.map { ":\($0)" } ?? "")"
    self.scheme = scheme
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = port
    origin = Origin(scheme, self.host, port)
    literalAddress = IPAddress(self.host)
  }
}

/// An origin (RFC 6454), the same for all spellings that libcurl and name servers treat alike.
struct Origin: Hashable, Sendable, CustomStringConvertible {
  let description: String

  init(_ scheme: RemoteURL.Scheme, _ host: String, _ port: Int) {
    description = "\(scheme.rawValue)://\(Resolver.fullName(host).bracketingIPv6):\(port)"
  }
}
