internal import Supporting

/// The parts of a broker's URL (RFC 3986 section 3):
/// `SCHEME://[[USER][:PASSWORD]@]HOST[:PORT][/PATH][?NAME=VALUE&…][&password-file=PATH]`.
/// Every part except the host may be percent-encoded, and is decoded here.
package struct BrokerURL {
  /// In lower case.
  package let scheme: String
  /// Nil if there is no `@`.
  package let user: String?
  /// Nil if there is no colon after the user.
  package let password: String?
  /// Whether user and password contain no `/`, as RFC 3986 requires.
  package let isLoginEscaped: Bool
  /// A name or an address. An IPv6 address has no brackets here.
  package let host: String
  package let port: Int?
  /// The text before the path, and the parameters. Not decoded.
  package let place, query: String
  /// The segments between the slashes.
  package let path: [String]
  /// No value is empty.
  package let parameters: [String: String]
  package let passwordFile: String?

  /// - Parameters:
  ///   - names: the known parameters other than `password-file`.
  ///   - takesPassword: whether `password-file` is one, too.
  package init(
    _ text: String, parameters names: [String], takesPassword: Bool = true
  ) throws(URLFault) {
    let (scheme, rest) = text[...].cut(at: ":")
    guard let rest, rest.hasPrefix("//") else { throw URLFault("there is no :// after its scheme") }
    let (front, query) = rest.dropFirst(2).cut(at: "?")
    // A password may contain an unescaped `@`. A host may not.
    let at = front.unicodeScalars.lastIndex(of: "@")
    let login = at.map { front[..<$0] }
    let (place, path) = (at.map { front[front.unicodeScalars.index(after: $0)...] } ?? front).cut(at: "/")
    self.place = String(text[..<place.endIndex])
    self.scheme = scheme.lowercased()
    (host, port) = try Self.hostAndPort(place)
    let (user, password) = login?.cut(at: ":") ?? (nil, nil)
    self.user = try user?.percentDecoded("user name")
    self.password = try password?.percentDecoded("password")
    isLoginEscaped = login?.utf8.contains(UInt8(ascii: "/")) != true
    let segments = path?.split(separator: "/", omittingEmptySubsequences: false) ?? []
    self.path = try segments.map { (segment) throws(URLFault) in try segment.percentDecoded("path") }
    self.query = String(query ?? "")
    let passwordNames = takesPassword ? ["password-file"] : []
    var parameters = try Self.parameters(query ?? "", names + passwordNames)
    passwordFile = parameters.removeValue(forKey: "password-file")
    self.parameters = parameters
    // Choosing one of them would be a guess.
    guard password == nil || passwordFile == nil else {
      throw URLFault("it has a password or a password-file, and not both")
    }
  }

  private static func hostAndPort(_ text: Substring) throws(URLFault) -> (String, Int?) {
    let (host, isBracketed, port) = text.hostAndPort
    guard !host.isEmpty else { throw URLFault("its host is missing") }
    guard isBracketed || !host.utf8.contains(UInt8(ascii: ":")) else {
      throw URLFault("an IPv6 address needs brackets, like [::1], and a password needs an @ after it")
    }
    guard isBracketed ? isIPv6(host) : host.utf8.allSatisfy(\.isOfName) else {
      throw URLFault("its host is a name in ASCII or an address, one of IPv6 in brackets, like [::1]", text)
    }
    guard let port else { return (String(host), nil) }
    let isNumber = port.utf8.allSatisfy(\.isASCIIDigit)
    if isNumber, let number = UInt16(port), number > 0 { return (String(host), Int(number)) }
    let hint = isNumber ? "" : " (a password needs an @ after it, and %2F and %3F for / and ? in it)"
    throw URLFault("its port is a number from 1 to 65535\(hint)", port)
  }

  /// Whether the text may be an IPv6 address, with or without a zone (RFC 4007 section 11).
  private static func isIPv6(_ text: Substring) -> Bool {
    let address = text.utf8.prefix { $0.isASCIIDigit || 0x61...0x66 ~= $0 | 0x20 || ":.".utf8.contains($0) }
    let zone = text.utf8[address.endIndex...]
    return address.contains(UInt8(ascii: ":"))
      && (zone.isEmpty || zone.first == UInt8(ascii: "%") && zone.dropFirst().allSatisfy(\.isUnreserved))
  }

  private static func parameters(_ query: Substring, _ names: [String]) throws(URLFault) -> [String: String] {
    var values: [String: String] = [:]
    for parameter in query.split(separator: "&") {
      let (name, value) = parameter.cut(at: "=")
      // Ignoring an unknown parameter would hide a mistake.
      guard names.contains(String(name)) else {
        throw URLFault("its parameters are \(names.joined(separator: ", "))", name)
      }
      let decoded = try value?.percentDecoded("parameter \(name)") ?? ""
      guard !decoded.isEmpty else { throw URLFault("its parameter \(name) is empty") }
      guard values.updateValue(decoded, forKey: String(name)) == nil else {
        throw URLFault("its parameter \(name) appears twice")
      }
    }
    return values
  }
}

extension Substring {
  /// Decodes `%41` to `A`. Throws an error that names `part` if the result is not a UTF-8 C string.
  fileprivate func percentDecoded(_ part: String) throws(URLFault) -> String {
    guard let bytes = utf8.percentDecoded, !bytes.contains(0),
      let decoded = String(validating: bytes, as: UTF8.self)
    else {
      throw URLFault("its \(part) is percent-encoded UTF-8 without NUL, with %25 for a %", self)
    }
    return decoded
  }

  /// The text before the first `separator`, and the text after it.
  fileprivate func cut(at separator: Unicode.Scalar) -> (Substring, Substring?) {
    guard let index = unicodeScalars.firstIndex(of: separator) else { return (self, nil) }
    return (self[..<index], self[unicodeScalars.index(after: index)...])
  }
}

extension UInt8 {
  /// Whether it is a letter, a digit or one of `._-`, which a shell and a URL take unescaped.
  var isOfName: Bool { isASCIILetter || isASCIIDigit || "._-".utf8.contains(self) }
}
