internal import CCurl
internal import Supporting

extension EasyHandle {
  /// Leaves out WebP and AVIF, so that servers that go by Accept send a format that iOS can show.
  static func requestHeaders(_ settings: FetchSettings) -> [String] {
    [
      // libcurl would build this line twice, byte by byte, if it were set as CURLOPT_USERAGENT.
      "User-Agent: \(settings.userAgent)",
      "Accept: image/jpeg,image/png,image/gif,audio/*,video/*,*/*;q=0.5", "Accept-Encoding: identity",
    ]
  }

  /// Applies the options that all requests have in common. Cookies, HSTS, alt-svc, netrc, HTTP/0.9,
  /// content decoding and FOLLOWLOCATION are off by default and stay off. A handle makes one request:
  /// libcurl 7.88.1 (WireTests) uses freed headers if a second one is answered with a folded line (curl
  /// issue 11101).
  package func applyCommonOptions() throws(FetchError) {
    // A proxy would bypass the address rule. "" also overrides http_proxy and similar variables.
    try set(CURLOPT_PROXY, "")
    // `TrustStore` replaces both. Otherwise libcurl loads the whole bundle for each connection.
    for option in [CURLOPT_CAPATH, CURLOPT_CAINFO] {
      try check(unsafe curl_set_string(pointer, option, nil), option)
    }
    // Otherwise libcurl uses the store of the first connection for a day, and a renewed one does not count.
    try set(CURLOPT_CA_CACHE_TIMEOUT, 0)
    // A handle makes one request, so a TLS session is never resumed. Each would take 10 KB.
    try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    // The minimum. The default is 64 KB.
    try set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
    try set(CURLOPT_NOSIGNAL, 1)
    // Otherwise, libcurl would wait for the threads of its lookups at the end.
    try set(CURLOPT_QUICK_EXIT, 1)
  }

  /// Applies `settings` to one download.
  mutating func apply(
    _ settings: FetchSettings, to root: URLParts, target: String, headers: CurlList
  ) throws(FetchError) {
    try applyCommonOptions()
    try set(root)
    // The target is set separately, because libcurl keeps five copies of the URL.
    try set(CURLOPT_REQUEST_TARGET, target)
    try set(CURLOPT_PROTOCOLS_STR, settings.allowsHTTP ? "https,http" : "https")
    try set(CURLOPT_HTTPHEADER, headers)
    let offersHTTP2 = settings.offersHTTP2 && HTTP2Frames.areSeen
    try set(CURLOPT_HTTP_VERSION, Int(offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_BUFFERSIZE, settings.receiveBufferBytes)
  }

  /// Gives libcurl the addresses of `url`'s host, so that it does not ask a name server. Without
  /// the `+`, libcurl would read a host that begins with `-` as a command to forget a host.
  mutating func pin(_ url: RemoteURL, to addresses: [IPAddress]) throws(FetchError) {
    let list = addresses.map { "\($0)".bracketingIPv6 }.joined(separator: ",")
    try set(CURLOPT_RESOLVE, CurlList(["+\(url.host):\(url.port):\(list)"]))
  }
}
