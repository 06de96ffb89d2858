extension String {
  /// A URL, valid or not, for the log. Anything that may be a password is shown as `***`.
  package var withoutPassword: String {
    var (shown, end) = ("", startIndex)
    for secret in secrets {
      shown += "\(self[end..<secret.lowerBound])***"
      end = secret.upperBound
    }
    return shown + self[end...]
  }

  /// Everything that may be a password, in order: the text between a user name and the last `@`;
  /// what follows a host and is not a port, because its `@` may be missing; and parameters named
  /// like one. Compares scalars, because a colon and a combining mark are one character.
  var secrets: [Range<Index>] {
    // The path of a file may contain any character.
    if lowercased().hasPrefix("sqlite:") { return secrets(ofParametersFrom: startIndex) }
    // The text after the colon is neither a password nor a port. It may be the path of a file.
    if lowercased().hasPrefix("records:"), !unicodeScalars.contains("@") {
      return secrets(ofParametersFrom: startIndex)
    }
    let at = unicodeScalars.lastIndex(of: "@")
    let login = at.flatMap(login(before:)).map { [$0] } ?? []
    return login + (secretPort(behind: at).map { [$0] } ?? secrets(ofParametersFrom: at ?? startIndex))
  }

  /// The text before the `@`, except for a scheme and a plain user name.
  private func login(before at: Index) -> Range<Index>? {
    let front = self[..<at].unicodeScalars
    guard let slashes = front.firstRange(of: "://".unicodeScalars) else {
      return front.isEmpty ? nil : startIndex..<at
    }
    let names = front[slashes.upperBound...]
    if let colon = names.firstIndex(of: ":") { return names.index(after: colon)..<at }
    let isName = names.allSatisfy { $0 > " " && !"/?&#=".unicodeScalars.contains($0) }
    // A Redis login has a password, so without a colon this is probably the password.
    let isRedis = lowercased().hasPrefix("redis") && !contains("password-file=")
    return isName && !isRedis ? nil : slashes.upperBound..<at
  }

  /// Everything after the colon of the host, unless it is a number as long as a port.
  private func secretPort(behind at: Index?) -> Range<Index>? {
    var place = self[(at ?? startIndex)...].unicodeScalars.drop { $0 == "@" }
    let slashes = at == nil ? place.firstRange(of: "://".unicodeScalars) : nil
    // Without a scheme, nothing shows where the host is.
    if let slashes { place = place[slashes.upperBound...].drop { $0 == "/" } }
    var host = at == nil && slashes == nil ? place : place.prefix { $0 != "/" && $0 != "?" }
    if host.first == "[" {
      host = host.dropFirst().drop { $0.properties.isASCIIHexDigit || $0 == ":" || $0 == "." }
    }
    guard let colon = host.firstIndex(of: ":") else { return nil }
    let rest = place[place.index(after: colon)...]
    let port = rest.prefix { "0"..."9" ~= $0 }
    let end = rest[port.endIndex...].first
    if rest.isEmpty || (1...5).contains(port.count) && (end == nil || end == "/" || end == "?") { return nil }
    return rest.startIndex..<endIndex
  }

  private func secrets(ofParametersFrom start: Index) -> [Range<Index>] {
    let rest = self[start...].unicodeScalars
    guard let mark = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) else { return [] }
    var secrets: [Range<Index>] = []
    // In an APNs URL, `key` is the path of a file.
    let isAPNs = unicodeScalars.starts(with: "apns:".unicodeScalars)
    for parameter in rest[rest.index(after: mark)...].split(separator: "&") {
      if let equals = parameter.firstIndex(of: "=") {
        let name = self[parameter.startIndex..<equals]
        guard Self.isSecret(name), !(isAPNs && ["key", "key-id"].contains(name)) else { continue }
        secrets.append(parameter.index(after: equals)..<parameter.endIndex)
      } else if let secret = secrets.last, self[secret.upperBound..<parameter.startIndex] == "&" {
        // The `&` was part of the secret.
        secrets[secrets.count - 1] = secret.lowerBound..<parameter.endIndex
      }
    }
    return secrets
  }

  /// - Parameter name: the name of a parameter. The path of a password file is not a secret.
  private static func isSecret(_ name: Substring) -> Bool {
    let name = name.lowercased()
    return !["password-file", "routing-key"].contains(name)
      && ["pas", "pw", "secret", "token", "auth", "key"].contains { name.contains($0) }
  }
}
