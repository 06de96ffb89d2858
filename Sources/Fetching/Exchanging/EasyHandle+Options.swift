internal import CCurl
internal import Supporting

extension EasyHandle {
  /// Without WebP and AVIF: servers that choose by Accept then choose a format that iOS can show.
  static let requestHeaders = [
    // As CURLOPT_USERAGENT, libcurl would put it together twice, byte by byte.
    "User-Agent: push-enricher",
    "Accept: image/jpeg,image/png,image/gif,audio/*,video/*,*/*;q=0.5", "Accept-Encoding: identity",
  ]

  /// Leaves off what is off by default (cookies, HSTS, alt-svc, netrc, HTTP/0.9, content decoding,
  /// FOLLOWLOCATION). A handle makes one request: libcurl 7.88.1 (WireTests) would use the freed headers of
  /// the first response if the second one begins with a folded line (curl issue 11101).
  mutating func apply(
    _ settings: FetchSettings, to root: URLParts, target: String, headers: CurlList
  ) throws(FetchError) {
    try set(root)
    // Long paths are no part of the URL, of which libcurl keeps five copies.
    try set(CURLOPT_REQUEST_TARGET, target)
    try set(CURLOPT_PROTOCOLS_STR, settings.allowsHTTP ? "https,http" : "https")
    // A proxy would connect for us, past the address rule. "" also overrules http_proxy and its kin.
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_HTTPHEADER, headers)
    // `TrustStore` replaces both. libcurl would load the whole bundle for each connection.
    for option in [CURLOPT_CAPATH, CURLOPT_CAINFO] {
      try check(unsafe curl_set_string(pointer, option, nil), option)
    }
    let offersHTTP2 = settings.offersHTTP2 && HTTP2Frames.areSeen
    try set(CURLOPT_HTTP_VERSION, Int(offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
    // A handle makes one request: its sessions are never resumed, and take 10 KB.
    try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    try set(CURLOPT_BUFFERSIZE, settings.receiveBufferBytes)
    // The minimum. The default is 64 KB, for a request of 300 bytes.
    try set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
    try set(CURLOPT_NOSIGNAL, 1)
    // If libcurl ever looked up a name itself, it would wait for that thread at the end.
    try set(CURLOPT_QUICK_EXIT, 1)
  }

  /// Gives libcurl the addresses of `url`'s host, so that it asks no name server. Without the `+`, a host
  /// that begins with `-` would be an order to forget it.
  mutating func pin(_ url: RemoteURL, to addresses: [IPAddress]) throws(FetchError) {
    let list = addresses.map { "\($0)".bracketingIPv6 }.joined(separator: ",")
    try set(CURLOPT_RESOLVE, CurlList(["+\(url.host):\(url.port):\(list)"]))
  }
}
