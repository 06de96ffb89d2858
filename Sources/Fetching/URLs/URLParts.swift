internal import CCurl

/// A URL parsed by libcurl (`curl_url(3)`). Frees itself.
@safe final class URLParts {
  let text: String
  let handle: OpaquePointer

  /// - Throws: `FetchError.urlInvalid`, `.resourcesExhausted`.
  init(_ text: String, relativeTo base: String? = nil) throws(FetchError) {
    guard let handle = unsafe curl_url() else { throw .resourcesExhausted(detail: "no memory for a URL") }
    unsafe self.handle = handle
    self.text = text
    let flags = UInt32(CURLU_DISALLOW_USER | CURLU_NON_SUPPORT_SCHEME)
    for text in [base, text].lazy.compactMap(\.self) {
      try check(unsafe text.withCString { unsafe curl_url_set(handle, CURLUPART_URL, $0, flags) })
    }
  }

  deinit { unsafe curl_url_cleanup(handle) }

  func get(_ part: CURLUPart, _ flags: UInt32 = 0) throws(FetchError) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = unsafe curl_url_get(handle, part, &text, flags)
    defer { unsafe curl_free(text) }
    if [CURLUE_NO_SCHEME, CURLUE_NO_HOST, CURLUE_NO_PORT, CURLUE_NO_QUERY, CURLUE_NO_ZONEID].contains(code) {
      return nil
    }
    try check(code)
    return unsafe text.map { unsafe String(cString: $0) }
  }

  /// Returns the host, which is an international name, in ASCII.
  func asciiHost() throws(FetchError) -> String {
    do throws(FetchError) {
      if let host = try get(CURLUPART_HOST, UInt32(CURLU_PUNYCODE)) { return host }
    } catch {
      // libcurl 7.88.1 (RemoteURLTests) reports every invalid international name as out of memory.
      guard case .resourcesExhausted = error else { throw error }
    }
    throw .urlInvalid(detail: "its host is not a valid international name (RFC 5891)")
  }

  private func check(_ code: CURLUcode) throws(FetchError) {
    switch code {
    case CURLUE_OK: return
    case CURLUE_OUT_OF_MEMORY: throw .resourcesExhausted(detail: "no memory for a URL")
    case CURLUE_USER_NOT_ALLOWED: throw .urlInvalid(detail: "it carries a user name or password")
    case CURLUE_BAD_SCHEME, CURLUE_NO_SCHEME: throw .noScheme
    default:
      let reason = unsafe curl_url_strerror(code).map { unsafe String(cString: $0) }
      throw .urlInvalid(detail: reason ?? "error \(code.rawValue)")
    }
  }
}
