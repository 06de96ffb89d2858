internal import Supporting

/// The host that stands in a URL, and nothing else of it: what else is in it may be a secret.
package enum HostName {
  /// In bytes: no name is longer (RFC 1035 section 2.3.4).
  private static let maximumLength = 253

  /// - Parameter url: as a payload has it, perhaps no URL at all.
  /// - Returns: in lower case, without user and port; nil where there is none.
  package static func of(_ url: String) -> String? {
    // A copy, and a look at an array, cost half of a look at the UTF-8 of a String, index by index.
    let url = Array(url.utf8)
    guard let start = start(in: url) else { return nil }
    var host = url[start...].prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        && $0 != UInt8(ascii: "\\")
    }
    if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
    if let colon = host.lastIndex(of: UInt8(ascii: ":")),
      host[(colon + 1)...].allSatisfy(\.isASCIIDigit)
    {
      host = host[..<colon]
    }
    guard !host.isEmpty, host.count <= maximumLength else { return nil }
    return String(decoding: host, as: UTF8.self).lowercased()
  }

  /// Behind the first `://`.
  private static func start(in url: [UInt8]) -> Int? {
    var rest = url[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      rest = rest[(colon + 1)...]
      if rest.starts(with: "//".utf8) { return rest.startIndex + 2 }
    }
    return nil
  }
}
