internal import Fetching
internal import Supporting

extension Cause {
  /// What is wrong with a URL, as far as it can be told.
  /// - Parameter completes: whether relative URLs are completed, but this text was not.
  static func url(_ url: String, completes: Bool = false) -> Cause? {
    let text = start(of: url)
    let scheme = scheme(of: text)
    let isAbsolute = text.dropFirst(scheme.count).first == ":"
    if let cause = of(text, in: templates) { return cause }
    if isAbsolute, let cause = urls.first(where: { $0.marks.contains(scheme.lowercased()) }) { return cause }
    if isSurrounded(text) { return Cause("send the URL alone, without the marks or the text around it") }
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      return Cause("take the control characters, such as line ends, out of the URL")
    }
    if text.hasPrefix("//") { return Cause("put https: before the two slashes") }
    if startsWithHostAndPort(text) { return Cause("put https:// before the host") }
    if !isAbsolute {
      return Cause(
        "send an absolute URL that starts with https://; --base-url completes "
          + (completes
            ? "only texts that start with / or end like a file of media, such as .jpg" : "relative ones"))
    }
    let rest = text.dropFirst(scheme.count + 1)
    let slashes = rest.prefix { $0 == "/" }.count
    let authority = rest.dropFirst(slashes).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if authority.contains("@") {
      return Cause("take the user name and password out of the URL: sign it instead if it is not public")
    }
    guard fetched.contains(scheme.lowercased()) else {
      return isScheme(scheme) ? Cause("send an https URL: nothing here opens '\(scheme.prefix(20))'") : nil
    }
    // Blanks and bytes outside ASCII are percent-encoded.
    let length = url.utf8.reduce(0) { $0 + (0x21...0x7E ~= $1 ? 1 : 3) }
    if length > RemoteURL.maximumLength { return Cause("send a shorter URL") }
    // libcurl reads one slash and three slashes as two. With only one, `URLShape` sees no URL.
    return 2...3 ~= slashes
      ? Cause("correct the host, or the port after it, as in https://cdn.example:443/photo.jpg")
      : Cause("put two slashes after \(scheme):, as in https://cdn.example/photo.jpg")
  }

  /// RFC 3986 section 3.1.
  private static func isScheme(_ text: Substring) -> Bool {
    text.first?.isLetter == true
      && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
  }

  private static let fetched: Set = ["http", "https", "aesgcm"]

  private static func start(of text: String) -> Substring { text.drop { $0.isWhitespace }.prefix(256) }

  /// The text before the first colon. The caller checks that there is a colon.
  private static func scheme(of text: Substring) -> Substring {
    text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }.prefix { $0 != ":" }
  }

  /// Whether other text comes before a URL, as in `<https://cdn.example/a.jpg>`.
  private static func isSurrounded(_ text: Substring) -> Bool {
    guard let mark = text.firstRange(of: "://") else { return false }
    let name = text[..<mark.lowerBound].lowercased()
    guard let scheme = ["https", "http"].first(where: name.hasSuffix) else { return false }
    // Relative URLs and those of other schemes may have a whole URL in them.
    return name.dropLast(scheme.count).contains {
      !$0.isLetter && !$0.isNumber && !"+-.:/?#&=%_~@$,;".contains($0)
    }
  }

  /// Whether the text starts with a host and a port, as in `cdn.example:8443/a.jpg`, instead of a scheme.
  private static func startsWithHostAndPort(_ text: Substring) -> Bool {
    let host = text.first == "[" ? text.prefix { $0 != "]" } : scheme(of: text)
    let rest = text.dropFirst(host.count).drop { $0 == "]" }
    let port = rest.dropFirst().prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !host.isEmpty, rest.first == ":", 1...5 ~= port.count,
      port.allSatisfy({ $0.isASCII && $0.isNumber })
    else { return false }
    // Without a path, it may be `tel:123`.
    return rest.count > port.count + 1 || host.contains(".") || host.first == "["
      || host.lowercased() == "localhost"
  }

  /// The error itself, or a better one. libcurl takes any word before a colon for a scheme, and does not parse
  /// URLs of other schemes.
  static func corrected(_ error: FetchError, of text: String) -> FetchError {
    guard case .urlInvalid = error else { return error }
    let start = start(of: text)
    if isSurrounded(start) { return .urlInvalid(detail: "there is other text around it") }
    if startsWithHostAndPort(start) { return .noScheme }
    return foreignScheme(of: start).map(FetchError.schemeNotAllowed) ?? error
  }

  /// The scheme of an absolute URL, if URLs of that scheme are never fetched. Nil for other texts.
  private static func foreignScheme(of text: Substring) -> String? {
    let scheme = scheme(of: text)
    // A placeholder, or a host, is not a scheme.
    guard text.dropFirst(scheme.count).first == ":", isScheme(scheme), !scheme.contains("."),
      scheme.count <= 20, !fetched.contains(scheme.lowercased())
    else { return nil }
    return scheme.lowercased()
  }
}
