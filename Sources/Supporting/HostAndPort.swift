extension Substring {
  /// The parts of `HOST[:PORT]`, without the brackets of an IPv6 address (RFC 3986 section 3.2.2).
  package var hostAndPort: (host: Substring, isBracketed: Bool, port: Substring?) {
    let bracket = utf8.lastIndex(of: UInt8(ascii: "]"))
    let colon = utf8[(bracket ?? startIndex)...].lastIndex(of: UInt8(ascii: ":"))
    let host = utf8[..<(colon ?? endIndex)]
    let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
    let port = colon.map { Substring(utf8[$0...].dropFirst()) }
    return (Substring(isBracketed ? host.dropFirst().dropLast() : host), isBracketed, port)
  }
}

extension String {
  /// The text as a host before a port: an IPv6 address gets brackets (RFC 3986 section 3.2.2).
  package var bracketingIPv6: String { utf8.contains(UInt8(ascii: ":")) ? "[\(self)]" : self }
}
