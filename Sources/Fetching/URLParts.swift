internal import CCurl

/// libcurl's URL parser (`curl_url(3)`), and what it has read. Frees itself.
@safe struct URLParts: ~Copyable {
  /// A `CURLU`, while this value is there.
  let handle: OpaquePointer

  private init() throws(FetchError) {
    guard let handle = unsafe curl_url() else { throw .resourcesExhausted(detail: "no memory for a URL") }
    unsafe self.handle = handle
  }

  deinit { unsafe curl_url_cleanup(handle) }

  /// Reads `text`, against `base` if it is a relative reference (RFC 3986 section 5).
  /// - Throws: `FetchError.urlInvalid`, `.resourcesExhausted`.
  static func read(_ text: String, relativeTo base: String? = nil) throws(FetchError) -> URLParts {
    let parts = try URLParts()
    if let base { try parts.read(base) }
    try parts.read(text)
    return parts
  }

  private func read(_ text: String) throws(FetchError) {
    // Senders do write spaces and umlauts into URLs; browsers and Foundation take them, encoded.
    let flags = UInt32(
      CURLU_DISALLOW_USER | CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
    try check(unsafe text.withCString { unsafe curl_url_set(handle, CURLUPART_URL, $0, flags) })
  }

  /// - Returns: nil when the URL has no such part.
  /// - Throws: as `read`.
  func get(_ part: CURLUPart, _ flags: UInt32 = 0) throws(FetchError) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = unsafe curl_url_get(handle, part, &text, flags)
    defer { unsafe curl_free(text) }
    switch code {
    case CURLUE_OK: return unsafe text.map { unsafe String(cString: $0) }
    case CURLUE_NO_SCHEME, CURLUE_NO_HOST, CURLUE_NO_PORT, CURLUE_NO_QUERY,
      CURLUE_NO_ZONEID:
      return nil
    default:
      try check(code)
      return nil
    }
  }

  /// Of a host that is an international name.
  /// - Throws: as `read`.
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
