extension Substring {
  /// The parts of `HOST[:PORT]`, without the brackets of an IPv6 address (RFC 3986 section 3.2.2).
  package var hostAndPort: (host: Substring, isBracketed: Bool, port: Substring?) {
    let colon = self[(lastIndex(of: "]") ?? startIndex)...].lastIndex(of: ":")
    let host = self[..<(colon ?? endIndex)]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let port = colon.map { self[$0...].dropFirst() }
    return (isBracketed ? host.dropFirst().dropLast() : host, isBracketed, port)
  }
}

extension String {
  /// The text as a host before a port: an IPv6 address gets brackets (RFC 3986 section 3.2.2).
  package var bracketingIPv6: String { utf8.contains(UInt8(ascii: ":")) ? "[\(self)]" : self }
}
