package import Enriching
internal import Fetching
internal import Supporting

/// The host that stands in a URL, and nothing else of it: what else is in it may be a secret.
package enum HostName {
  /// In bytes: no name is longer (RFC 1035 section 2.3.4).
  private static let maximumLength = 253

  /// That of a medium's URL, as it was understood where it was asked for.
  package static func of(_ medium: MediaReport) -> String? {
    of(medium.fetch.hops.first?.url ?? medium.url)
  }

  /// That of the URL that was asked last, or was to be: a redirect may have led there.
  package static func last(of medium: MediaReport) -> String? {
    of(medium.fetch.hops.last?.url ?? medium.url)
  }

  /// - Parameter url: as a payload has it, perhaps no URL at all.
  /// - Returns: in lower case, without user and port; nil where there is none.
  package static func of(_ url: String) -> String? {
    // A copy, and a look at an array, cost half of a look at the UTF-8 of a String, index by index.
    let url = Array(url.utf8)
    // RFC 3986 section 3.1.
    guard url.first?.isASCIILetter == true, let colon = url.firstIndex(of: UInt8(ascii: ":")),
      url[..<colon].allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }),
      url[(colon + 1)...].starts(with: "//".utf8)
    else { return nil }
    var host = url[(colon + 3)...].prefix { !"/?#\\".utf8.contains($0) }
    if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
    if let end = host.lastIndex(of: UInt8(ascii: ":")), host[(end + 1)...].allSatisfy(\.isASCIIDigit) {
      host = host[..<end]
    }
    guard !host.isEmpty, host.count <= maximumLength, host.allSatisfy(isPartOfHost) else { return nil }
    return String(decoding: host, as: UTF8.self).lowercased()
  }

  /// Of a name, of an address in brackets, or of a name that is not in ASCII.
  private static func isPartOfHost(_ byte: UInt8) -> Bool {
    byte.isUnreserved || byte >= 0x80 || "[]:%".utf8.contains(byte)
  }
}
