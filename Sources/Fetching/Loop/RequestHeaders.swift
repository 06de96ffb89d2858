internal import CCurl

/// The headers of each request, as libcurl takes them. Made once: a handle keeps the pointer, and not a copy.
///
/// The handle itself is not kept for the next request. libcurl 7.88 frees the headers of a response when that
/// begins, and goes on to use them where the next response begins with a folded line (curl issue 11101).
@safe final class RequestHeaders {
  /// Without WebP and AVIF: servers that choose by Accept then choose what iOS can show.
  static let lines = [
    // As CURLOPT_USERAGENT libcurl would put it together twice, byte by byte.
    "User-Agent: push-enricher",
    "Accept: image/jpeg,image/png,image/gif,audio/*,video/*,*/*;q=0.5", "Accept-Encoding: identity",
  ]

  let list: UnsafeMutablePointer<curl_slist>?

  /// - Throws: `FetchError.resourcesExhausted`.
  init() throws(FetchError) { unsafe list = try unsafe EasyHandle.list(of: Self.lines) }

  deinit { unsafe curl_slist_free_all(list) }
}
