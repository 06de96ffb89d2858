extension String {
  /// A host as it is written before a port: an IPv6 address in brackets (RFC 3986 section 3.2.2), anything
  /// else as it is.
  package var bracketingIPv6: String { utf8.contains(UInt8(ascii: ":")) ? "[\(self)]" : self }
}
