internal import Supporting

/// The URL of a broker by its parts (RFC 3986 section 3):
/// `SCHEME://[[USER][:PASSWORD]@]HOST[:PORT][/PATH][?NAME=VALUE&…][&password-file=PATH]`. All but the host
/// may be percent-encoded, and is decoded here.
package struct BrokerURL {
  /// In lower case.
  package let scheme: String
  /// Nil without an `@`.
  package let user: String?
  /// Nil without a colon behind the user.
  package let password: String?
  /// Whether user and password are without a `/`, as RFC 3986 wants it.
  package let isLoginEscaped: Bool
  /// A name or an address; one of IPv6 without its brackets.
  package let host: String
  package let port: Int?
  /// All of it up to the path, as it was written.
  package let place: String
  /// What is between its slashes; empty without a path.
  package let path: [String]
  /// The parameters as they were written.
  package let query: String
  /// None of them is empty.
  package let parameters: [String: String]
  /// Instead of a password.
  package let passwordFile: String?

  /// - Parameter names: the parameters that there are, beside `password-file`.
  package init(_ text: String, parameters names: [String]) throws(URLFault) {
    let (scheme, rest) = text[...].cut(at: ":")
    guard let rest, rest.hasPrefix("//") else { throw URLFault("there is no :// behind its scheme") }
    let (front, query) = rest.dropFirst(2).cut(at: "?")
    // A password may contain an unescaped `@`; a host may not.
    let at = front.unicodeScalars.lastIndex(of: "@")
    let login = at.map { front[..<$0] }
    let (place, path) = (at.map { front[front.unicodeScalars.index(after: $0)...] } ?? front).cut(at: "/")
    self.place = String(text[..<place.endIndex])
    self.scheme = scheme.lowercased()
    (host, port) = try Self.hostAndPort(place)
    let (user, password) = login?.cut(at: ":") ?? (nil, nil)
    self.user = try user.map { (user) throws(URLFault) in try Self.decoded(user, "user name") }
    self.password = try password.map { (password) throws(URLFault) in try Self.decoded(password, "password") }
    isLoginEscaped = login?.utf8.contains(UInt8(ascii: "/")) != true
    self.path = try (path?.split(separator: "/", omittingEmptySubsequences: false) ?? []).map {
      (segment) throws(URLFault) in try Self.decoded(segment, "path")
    }
    self.query = String(query ?? "")
    var parameters = try Self.parameters(query ?? "", names + ["password-file"])
    passwordFile = parameters.removeValue(forKey: "password-file")
    self.parameters = parameters
    // Which of the two counts would be a guess.
    guard password == nil || passwordFile == nil else {
      throw URLFault("it has a password or a password-file, and not both")
    }
  }

  private static func hostAndPort(_ text: Substring) throws(URLFault) -> (String, Int?) {
    let (host, isBracketed, port) = text.hostAndPort
    guard !host.isEmpty else { throw URLFault("its host is missing") }
    guard isBracketed || !host.utf8.contains(UInt8(ascii: ":")) else {
      throw URLFault("an IPv6 address is in brackets, like [::1], and a password has an @ behind it")
    }
    guard isBracketed ? isIPv6(host) : host.utf8.allSatisfy(isOfName) else {
      throw URLFault("its host is a name in ASCII or an address, one of IPv6 in brackets, like [::1]", text)
    }
    guard let port else { return (String(host), nil) }
    let isNumber = port.utf8.allSatisfy(\.isASCIIDigit)
    guard isNumber, let number = UInt16(port), number > 0 else {
      let rule = "its port is a number from 1 to 65535"
      throw isNumber
        ? URLFault(rule, port)
        : URLFault("\(rule) (a password has an @ behind it, and %2F and %3F for / and ? in it)", port)
    }
    return (String(host), Int(number))
  }

  /// Whether it may be an address, which may have a zone (RFC 4007 section 11).
  private static func isIPv6(_ text: Substring) -> Bool {
    let address = text.utf8.prefix { $0.isASCIIDigit || 0x61...0x66 ~= $0 | 0x20 || ":.".utf8.contains($0) }
    let zone = text.utf8[address.endIndex...]
    return address.contains(UInt8(ascii: ":"))
      && (zone.isEmpty || zone.first == UInt8(ascii: "%") && zone.dropFirst().allSatisfy(\.isUnreserved))
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "._-".utf8.contains(byte)
  }

  private static func parameters(
    _ query: Substring, _ names: [String]
  ) throws(URLFault) -> [String: String] {
    var values: [String: String] = [:]
    for parameter in query.split(separator: "&") {
      let (name, value) = parameter.cut(at: "=")
      // Ignoring an unknown one would hide a mistake.
      guard names.contains(String(name)) else {
        throw URLFault("its parameters are \(names.joined(separator: ", "))", name)
      }
      let decoded = try decoded(value ?? "", "parameter \(name)")
      guard !decoded.isEmpty else { throw URLFault("its parameter \(name) is empty") }
      guard values.updateValue(decoded, forKey: String(name)) == nil else {
        throw URLFault("its parameter \(name) is there twice")
      }
    }
    return values
  }

  private static func decoded(_ text: Substring, _ part: String) throws(URLFault) -> String {
    guard let decoded = text.percentDecoded else {
      throw URLFault("its \(part) is percent-encoded UTF-8 without NUL, with %25 for a %", text)
    }
    return decoded
  }
}

extension Substring {
  /// With `%41` as `A`; nil for an invalid escape, or if the result is not a valid C string of UTF-8.
  fileprivate var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = Substring(rest.prefix(2))
      guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16)
      else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }

  /// The text before the first `separator`, and the text behind it, if there is one.
  fileprivate func cut(at separator: Unicode.Scalar) -> (Substring, Substring?) {
    guard let index = unicodeScalars.firstIndex(of: separator) else { return (self, nil) }
    return (self[..<index], self[unicodeScalars.index(after: index)...])
  }
}
