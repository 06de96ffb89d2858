internal import CCurl
internal import Supporting

/// A URL that libcurl's own parser has read, so that nobody else has another opinion on what its host is.
package struct RemoteURL: Sendable, Equatable {
  package enum Scheme: String, Sendable { case https, http }

  /// In bytes: what RFC 9110 section 4.1 asks servers to take. A redirect chooses how much of our memory it
  /// fills.
  static let maximumLength = 8_000
  /// Of a host, in bytes, with a dot at its end (RFC 1035 section 2.3.4).
  private static let maximumHostLength = 254
  /// What is kept of it for people, in bytes: the whole host, and some of the rest.
  private static let shownLength = 300

  package let scheme: Scheme
  /// In ASCII (RFC 5890 A-labels), numeric IPv4 spellings as dotted decimal, IPv6 without brackets.
  package let host: String
  package let port: Int
  /// Put together once: each request asks for it several times.
  let origin: Origin
  /// The URL as it is asked for: no fragment, host in ASCII, spaces and non-ASCII characters percent-encoded.
  package let text: String

  /// Reads `text`, against `base` if it is a relative reference (RFC 3986 section 5).
  /// - Throws: `FetchError.urlInvalid` for what is no absolute URL, carries a user name or a zone, or has
  ///   control characters; `.schemeNotAllowed` for anything but https and http; `.resourcesExhausted`.
  package init(_ text: String, relativeTo base: RemoteURL? = nil) throws(FetchError) {
    guard text.utf8.count <= Self.maximumLength else {
      throw .urlInvalid(detail: "it is longer than \(Self.maximumLength) bytes")
    }
    guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw .urlInvalid(detail: "it has control characters in it")
    }
    if let failure = LibcurlSetup.failure { throw failure }
    let parts = try URLParts()
    if let base { try parts.set(CURLUPART_URL, base.text) }
    try parts.set(CURLUPART_URL, text)
    let name = try parts.get(CURLUPART_SCHEME) ?? ""
    guard let scheme = Scheme(rawValue: name) else { throw .schemeNotAllowed(name) }
    guard let given = try parts.get(CURLUPART_HOST), !given.isEmpty else {
      throw .urlInvalid(detail: "it has no host")
    }
    // Only an IPv6 address can have a zone, and stands in brackets.
    if given.hasPrefix("["), try parts.get(CURLUPART_ZONEID) != nil {
      throw .urlInvalid(detail: "its host has a zone")
    }
    let host = try given.utf8.allSatisfy { $0 < 0x80 } ? given : parts.asciiHost()
    // Whoever reads it once more would decode it once more, and ask another host.
    guard !host.utf8.contains(UInt8(ascii: "%")) else { throw .urlInvalid(detail: "its host has a % in it") }
    guard host.utf8.count <= Self.maximumHostLength else {
      throw .urlInvalid(detail: "its host is longer than \(Self.maximumHostLength) bytes")
    }
    if host != given { try parts.set(CURLUPART_HOST, host) }
    try parts.clear(CURLUPART_FRAGMENT)
    guard let port = try parts.get(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap({ Int($0) }) else {
      throw .urlInvalid(detail: "its port is no number from 0 to 65535")
    }
    self.scheme = scheme
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = port
    origin = Origin(scheme, self.host, port)
    self.text = try parts.get(CURLUPART_URL) ?? ""
  }

  /// The same for people: the first 300 bytes, and `…` where there is more.
  var beginning: String {
    text.utf8.count <= Self.shownLength ? text : text.beginning(Self.shownLength) + "…"
  }

  /// Scheme and authority (RFC 3986 section 3), as they stand in `text`.
  var root: String { String(text[..<pathStart]) }

  /// What is asked for there: the request target in origin form, a path and perhaps a query (RFC 9112 section
  /// 3.2.1).
  var target: String {
    let start = pathStart
    return start < text.endIndex ? String(text[start...]) : "/"
  }

  private var pathStart: String.Index {
    let authority = text.utf8.index(text.startIndex, offsetBy: scheme.rawValue.utf8.count + "://".utf8.count)
    return text.utf8[authority...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
  }

  /// The address that the host is, when it is no name.
  var literalAddress: IPAddress? { IPAddress(host) }
}

/// libcurl's URL parser (`curl_url(3)`).
@safe private struct URLParts: ~Copyable {
  private let handle: OpaquePointer

  init() throws(FetchError) {
    guard let handle = unsafe curl_url() else { throw .resourcesExhausted(detail: "no memory for a URL") }
    unsafe self.handle = handle
  }

  deinit { unsafe curl_url_cleanup(handle) }

  func set(_ part: CURLUPart, _ text: String) throws(FetchError) {
    // Senders do write spaces and umlauts into URLs; browsers and Foundation take them, encoded.
    var flags = UInt32(CURLU_DISALLOW_USER | CURLU_NON_SUPPORT_SCHEME)
    if part == CURLUPART_URL { flags |= UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE) }
    try check(unsafe text.withCString { unsafe curl_url_set(handle, part, $0, flags) })
  }

  func clear(_ part: CURLUPart) throws(FetchError) {
    try check(unsafe curl_url_set(handle, part, nil, 0))
  }

  /// - Returns: nil when the URL has no such part.
  func get(_ part: CURLUPart, _ flags: UInt32 = 0) throws(FetchError) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = unsafe curl_url_get(handle, part, &text, flags)
    defer { unsafe curl_free(text) }
    switch code {
    case CURLUE_OK: return unsafe text.map { unsafe String(cString: $0) }
    case CURLUE_NO_SCHEME, CURLUE_NO_HOST, CURLUE_NO_PORT, CURLUE_NO_QUERY, CURLUE_NO_FRAGMENT,
      CURLUE_NO_ZONEID:
      return nil
    default:
      try check(code)
      return nil
    }
  }

  /// Of a host that is an international name.
  func asciiHost() throws(FetchError) -> String {
    do throws(FetchError) {
      if let host = try get(CURLUPART_HOST, UInt32(CURLU_PUNYCODE)) { return host }
    } catch {
      // To libcurl 7.88, whatever is wrong with an international name is a want of memory.
      guard case .resourcesExhausted = error else { throw error }
    }
    throw .urlInvalid(detail: "its host is no international name (RFC 5891)")
  }

  private func check(_ code: CURLUcode) throws(FetchError) {
    switch code {
    case CURLUE_OK: return
    case CURLUE_OUT_OF_MEMORY: throw .resourcesExhausted(detail: "no memory for a URL")
    case CURLUE_USER_NOT_ALLOWED: throw .urlInvalid(detail: "it carries a user name or password")
    case CURLUE_BAD_SCHEME, CURLUE_NO_SCHEME:
      throw .urlInvalid(detail: "it has no scheme: a media URL starts with https://")
    default:
      let reason =
        unsafe curl_url_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code.rawValue)"
      throw .urlInvalid(detail: reason)
    }
  }
}
