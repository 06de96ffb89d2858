extension String {
  /// A URL, or what was meant to be one, for the log: `***` for the password, which ends at the last `@` even if one in it
  /// is not escaped, and for the values of parameters that are called after one.
  package var withoutPassword: String {
    // The name of a file, which may have any character.
    guard !hasPrefix("sqlite:") else { return self }
    let at = lastIndex(of: "@") ?? startIndex
    let rest = self[at...]
    guard let mark = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) else {
      return "\(Self.shown(self[..<at]))\(rest)"
    }
    let parameters = rest[rest.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
    let shown = parameters.map(Self.shown(parameter:)).joined(separator: "&")
    return "\(Self.shown(self[..<at]))\(rest[...mark])\(shown)"
  }

  /// - Parameter front: the part before the `@`. Apart from a scheme and a plain user name, all of it may be a password.
  private static func shown(_ front: Substring) -> String {
    guard !front.isEmpty else { return "" }
    guard let slashes = front.firstRange(of: "://") else { return "***" }
    let names = front[slashes.upperBound...]
    if let colon = names.firstIndex(of: ":") { return "\(front[...colon])***" }
    let isName = names.utf8.allSatisfy { $0 > 0x20 && !"/?&#=".utf8.contains($0) }
    return isName ? String(front) : "\(front[..<slashes.upperBound])***"
  }

  /// - Parameter parameter: `NAME=VALUE`. The path of a file is no password.
  private static func shown(parameter: Substring) -> String {
    guard let equals = parameter.firstIndex(of: "="), !parameter.hasPrefix("password-file=") else {
      return String(parameter)
    }
    let name = parameter[..<equals].lowercased()
    let isPassword = ["pass", "pwd", "secret"].contains { name.contains($0) }
    return isPassword ? "\(parameter[...equals])***" : String(parameter)
  }
}
