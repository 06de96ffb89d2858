internal import CCurl
internal import Supporting

extension EasyHandle {
  /// What every request has in common. What is off by default in libcurl 7.88 and must stay so (cookies,
  /// HSTS, alt-svc, HTTP/0.9, content decoding, FOLLOWLOCATION) is not mentioned.
  /// - Parameters:
  ///   - target: `RemoteURL.target`.
  ///   - conditions: further headers.
  mutating func apply(
    _ settings: FetchSettings, to root: ParsedRoot, target: String, headers: RequestHeaders,
    conditions: [String]
  ) throws(FetchError) {
    try recordErrors()
    // libcurl keeps a URL in five pieces and copies, and a target in one: they are 8,000 bytes where a stranger
    // redirects to that many.
    try set(root)
    try set(CURLOPT_REQUEST_TARGET, target)
    try set(CURLOPT_PROTOCOLS_STR, settings.allowsHTTP ? "https,http" : "https")
    // A proxy would connect in our place, behind the address rule; "" also overrules http_proxy and its kin.
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(
      CURLOPT_HTTP_VERSION,
      settings.offersHTTP2 && HTTP2Frames.areSeen ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    if conditions.isEmpty {
      try set(headers)
    } else {
      try set(CURLOPT_HTTPHEADER, RequestHeaders.lines + conditions)
    }
    // libcurl's own default is the bundle and the directory, for every connection anew: TrustStore stands in
    // for both.
    try clear(CURLOPT_CAPATH)
    try clear(CURLOPT_CAINFO)
    // A handle makes one request: sessions that it could resume are never asked for, and take 10 KB.
    try set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try set(CURLOPT_BUFFERSIZE, settings.receiveBufferBytes)
    // The least that libcurl takes: 64 KB otherwise, for a request of 300 bytes.
    try set(CURLOPT_UPLOAD_BUFFERSIZE, 16_384)
    try set(CURLOPT_NOSIGNAL, 1)
    // Should libcurl ever look a name up itself, it must not wait for that thread at the end.
    try set(CURLOPT_QUICK_EXIT, 1)
    try set(CURLOPT_NOPROGRESS, 0)
  }

  /// Tells libcurl what `url`'s host resolves to, so that it never asks a name server itself. Without the
  /// `+`, a host that begins with `-` would be an order to forget it.
  mutating func pin(_ url: RemoteURL, to addresses: [IPAddress]) throws(FetchError) {
    let list = addresses.map { "\($0)".bracketingIPv6 }.joined(separator: ",")
    try set(CURLOPT_RESOLVE, ["+\(url.host):\(url.port):\(list)"])
  }

  private func set(_ option: CURLoption, _ value: some FixedWidthInteger) throws(FetchError) {
    try set(option, Int(value))
  }
}
