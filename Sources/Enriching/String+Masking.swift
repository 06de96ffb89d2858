extension String {
  /// The URL of a medium, valid or not, as logs show it: `***` replaces what may be a user, a password or an XMPP key.
  /// Compares scalars, because `@` and a combining mark are one character.
  var masked: String { maskingLogin.maskingKey }

  /// A login ends at the last `@` of the authority (RFC 3986 section 3.2). If the authority has a colon that is not
  /// followed by a port, that is probably a password with a `/` in it, which ends later.
  private var maskingLogin: String {
    let scalars = unicodeScalars
    guard let colon = scalars.firstIndex(of: ":") else { return self }
    let rest = scalars[scalars.index(after: colon)...].drop { $0 == "/" || $0 == "\\" }
    let authority = rest.prefix { !"/?#\\".unicodeScalars.contains($0) }
    var end = authority.lastIndex(of: "@")
    if end == nil, !authority.contains("["), let port = authority.lastIndex(of: ":"),
      !authority[authority.index(after: port)...].allSatisfy({ "0"..."9" ~= $0 })
    {
      end = rest.lastIndex(of: "@")
    }
    guard let end else { return self }
    return "\(self[..<rest.startIndex])***\(self[end...])"
  }

  /// The digits of an XMPP key that follow a character other than `#`. 64 digits are a key without its vector.
  private var maskingKey: String {
    guard lowercased().hasPrefix("aesgcm:") else { return self }
    var masked = ""
    var run = ""
    for scalar in unicodeScalars {
      if scalar.properties.isASCIIHexDigit {
        run.unicodeScalars.append(scalar)
      } else {
        masked += run.utf8.count < 64 ? run : "***"
        masked.unicodeScalars.append(scalar)
        run = ""
      }
    }
    return masked + (run.utf8.count < 64 ? run : "***")
  }
}
