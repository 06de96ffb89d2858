package import Enriching
internal import Fetching
internal import Supporting

/// Reads only the host of a URL, because the rest may be secret.
package enum HostName {
  /// In bytes (RFC 1035 section 2.3.4).
  private static let maximumLength = 253

  /// The host of the first request for the medium or, if there was none, of the medium's URL.
  package static func of(_ medium: MediaReport) -> String? { of(medium.fetch.hops.first?.url ?? medium.url) }

  /// The host that was asked last, or that should have been. A redirect may have led there.
  package static func last(of medium: MediaReport) -> String? {
    of(medium.fetch.hops.last?.url ?? medium.url)
  }

  /// The host in lowercase, without user and port. Nil if the text has no host, or is not a URL.
  package static func of(_ url: String) -> String? {
    // Copying the UTF-8 into an array costs half as much as reading it from the String by index.
    let url = Array(url.utf8)
    // The scheme (RFC 3986 section 3.1).
    guard url.first?.isASCIILetter == true, let colon = url.firstIndex(of: UInt8(ascii: ":")),
      url[..<colon].allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }),
      url[(colon + 1)...].starts(with: "//".utf8)
    else { return nil }
    var host = url[(colon + 3)...].prefix { !$0.endsAuthority }
    if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
    if let end = host.lastIndex(of: UInt8(ascii: ":")), host[(end + 1)...].allSatisfy(\.isASCIIDigit) {
      host = host[..<end]
    }
    // A name, which need not be ASCII, or an address in brackets.
    let isHost = host.allSatisfy { $0.isUnreserved || $0 >= 0x80 || "[]:%".utf8.contains($0) }
    guard isHost, 1...maximumLength ~= host.count else { return nil }
    return String(decoding: host, as: UTF8.self).lowercased()
  }
}

extension UInt8 {
  /// Whether it ends the host of a URL: `/`, `?` or `#` (RFC 3986 section 3.2), or a backslash, which parsers of URLs
  /// take for a slash. Looking for it in a `String` takes ten times as long.
  fileprivate var endsAuthority: Bool {
    switch self {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): true
    default: false
    }
  }
}
