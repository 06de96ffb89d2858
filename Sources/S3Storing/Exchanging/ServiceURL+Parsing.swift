internal import Supporting

/// The rule that a text breaks, such as `it starts with https:// or http://`.
struct ServiceURLFault: Error, Equatable { let rule: String }

extension ServiceURL {
  /// Parses `http[s]://HOST[:PORT][/PATH][?QUERY]`.
  init(parsing text: String) throws(ServiceURLFault) {
    let schemes = [("https://", true, 443), ("http://", false, 80)]
    guard let (scheme, isSecure, usual) = schemes.first(where: { text.lowercased().hasPrefix($0.0) }) else {
      throw ServiceURLFault(rule: "it starts with https:// or http://")
    }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { !"/?#".contains($0) }
    let target = rest.dropFirst(authority.count)
    guard target.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else {
      throw ServiceURLFault(rule: "what follows its host is percent-encoded, without #")
    }
    let (host, isBracketed, portText) = authority.hostAndPort
    let port = portText.map { $0.utf8.allSatisfy(\.isASCIIDigit) ? Int($0) ?? 0 : 0 } ?? usual
    guard 1...65_535 ~= port else { throw ServiceURLFault(rule: "its port is a number from 1 to 65535") }
    let name = host.lowercased()
    guard isBracketed ? IPAddress(name)?.family == .v6 : Self.isName(name) else {
      throw ServiceURLFault(
        rule: "its host is a name or an address, one of IPv6 in brackets, like https://[::1]:9000")
    }
    let path = target.hasPrefix("/") ? String(target) : "/\(target)"
    self.init(isSecure: isSecure, host: name, port: port, target: path)
  }

  /// The URL without path and query, which may have secrets.
  var server: String { "\(isSecure ? "https" : "http")://\(authority)" }

  /// Whether it is on this machine.
  var isLoopback: Bool {
    IPAddress(host)?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost"))
  }

  private static func isName(_ host: String) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return host.utf8.count <= 253
      && labels.allSatisfy { label in
        let isPlain = label.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "-_".utf8.contains($0) }
        return isPlain && 1...63 ~= label.utf8.count
      }
  }
}
