internal import Fetching
internal import Supporting

extension Cause {
  /// What is wrong with a URL, as far as it can be told.
  static func url(_ text: String) -> Cause? {
    let text = start(of: text)
    let scheme = scheme(of: text)
    let isAbsolute = text.dropFirst(scheme.count).first == ":"
    if let cause = of(text, in: templates) { return cause }
    if isAbsolute, let cause = urls.first(where: { $0.marks.contains(scheme.lowercased()) }) { return cause }
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      return Cause("take the control characters, such as line ends, out of the URL")
    }
    if !isAbsolute {
      return Cause("send an absolute URL that starts with https://; --base-url completes relative ones")
    }
    let authority = text.dropFirst(scheme.count + 1).drop { $0 == "/" }.prefix {
      $0 != "/" && $0 != "?" && $0 != "#"
    }
    if authority.contains("@") {
      return Cause("take the user name and password out of the URL: sign it instead if it is not public")
    }
    guard fetched.contains(scheme.lowercased()) else {
      return Cause("send an https URL: nothing here opens '\(scheme.prefix(20))'")
    }
    return isAuthority(authority)
      ? nil : Cause("correct the host, or the port behind it, as in https://cdn.example:443/photo.jpg")
  }

  /// Whether a host and a port can look like this (RFC 3986 section 3.2.2, and names in any script).
  private static func isAuthority(_ text: Substring) -> Bool {
    let host = text.hasPrefix("[") ? text.prefix { $0 != "]" } : text.prefix { $0 != ":" }
    let port = text.dropFirst(host.count).drop { $0 == "]" }
    let isNumber = port.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    return !host.isEmpty
      && host.utf8.allSatisfy {
        $0 >= 0x80 || $0.isUnreserved || "[:".utf8.contains($0)
      }
      && (port.isEmpty || port.first == ":" && isNumber && port.count <= 6)
  }

  private static let fetched: Set = ["http", "https", "aesgcm"]

  private static func start(of text: String) -> Substring { text.drop { $0.isWhitespace }.prefix(256) }

  /// The text before the first colon. The caller checks that there is a colon.
  private static func scheme(of text: Substring) -> Substring {
    text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.prefix { $0 != ":" }
  }

  /// The error itself, or a better one. libcurl does not parse URLs of other schemes.
  static func corrected(_ error: FetchError, of text: String) -> FetchError {
    guard case .urlInvalid = error else { return error }
    return foreignScheme(of: text).map(FetchError.schemeNotAllowed) ?? error
  }

  /// The scheme of an absolute URL, if URLs of that scheme are never fetched. Nil for other texts.
  private static func foreignScheme(of text: String) -> String? {
    let text = start(of: text)
    let scheme = scheme(of: text)
    // RFC 3986 section 3.1. A placeholder, or a host before a port, is not a scheme.
    guard text.dropFirst(scheme.count).first == ":", scheme.first?.isLetter == true, scheme.count <= 20,
      scheme.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+-".utf8.contains($0) }),
      !fetched.contains(scheme.lowercased())
    else { return nil }
    return scheme.lowercased()
  }
}
