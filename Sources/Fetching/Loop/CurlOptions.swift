internal import CCurl
internal import Supporting

extension EasyHandle {
  /// What every request has in common. What is off by default in libcurl 7.88 and must stay so (cookies, HSTS, alt-svc, HTTP/0.9,
  /// content decoding, FOLLOWLOCATION) is not mentioned.
  mutating func apply(
    _ settings: FetchSettings, to url: RemoteURL, conditions: [String]
  ) throws(FetchError) {
    try recordErrors()
    try set(CURLOPT_URL, url.text)
    try set(CURLOPT_PROTOCOLS_STR, settings.allowsHTTP ? "https,http" : "https")
    // A proxy would connect in our place, behind the address rule; "" also overrules http_proxy and its kin.
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    try set(
      CURLOPT_HTTP_VERSION, settings.offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    // Without WebP and AVIF in it: servers that choose by Accept then choose what iOS can show.
    try set(
      CURLOPT_HTTPHEADER,
      ["Accept: image/jpeg,image/png,image/gif,audio/*,video/*,*/*;q=0.5", "Accept-Encoding: identity"]
        + conditions)
    try set(CURLOPT_USERAGENT, "push-enricher")
    // libcurl's own default is the bundle and the directory, for every connection anew: TrustStore stands in for both.
    try set(CURLOPT_CAPATH, nil)
    try set(CURLOPT_CAINFO, nil)
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

  /// Tells libcurl what `url`'s host resolves to, so that it never asks a name server itself. Without the `+`, a host that
  /// begins with `-` would be an order to forget it.
  mutating func pin(_ url: RemoteURL, to addresses: [IPAddress]) throws(FetchError) {
    let list = addresses.map { "\($0)".bracketingIPv6 }.joined(separator: ",")
    try set(CURLOPT_RESOLVE, ["+\(url.host):\(url.port):\(list)"])
  }

  private func set(_ option: CURLoption, _ value: some FixedWidthInteger) throws(FetchError) {
    try set(option, Int(value))
  }
}

extension FetchError {
  /// What libcurl's `code` (`libcurl-errors(3)`) means at this point of an exchange.
  init(
    _ code: CURLcode, detail: String, received: Int, head: ResponseHead, host: String, maximumHeaderBytes: Int
  ) {
    self =
      switch code {
      case CURLE_URL_MALFORMAT: .urlInvalid(detail: detail)
      case CURLE_COULDNT_RESOLVE_HOST: .dnsFailed(host: host, detail: detail, isTransient: true)
      case CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK: .cancelled
      case CURLE_WRITE_ERROR: .stopped
      case CURLE_RECV_ERROR where Self.refusal(detail) != nil:
        Self.refusal(detail) ?? .responseInvalid(detail: detail)
      case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
        CURLE_HTTP2_STREAM:
        // Broken off: before the head there is nothing to call a body.
        head.isComplete
          ? .bodyTruncated(received: received, announced: head.contentLength)
          : .connectFailed(detail: detail, isTransient: true)
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: .responseInvalid(detail: detail)
      case CURLE_FILESIZE_EXCEEDED: .bodyTooLarge(maximum: received, announced: head.contentLength)
      case CURLE_BAD_CONTENT_ENCODING: .encodingNotAllowed(detail)
      // libcurl's word for one header line of more than 100 KB, all of which came at once.
      case CURLE_OUT_OF_MEMORY where !head.isComplete: .headersTooLarge(maximum: maximumHeaderBytes)
      case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: .resourcesExhausted(detail: detail)
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
        CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE:
        .tlsFailed(detail: detail)
      default: .connectFailed(detail: detail, isTransient: false)
      }
  }

  private static let refusalStart = "h2_process_pending_input: nghttp2_session_mem_recv() returned "

  /// What nghttp2 was fed and does not take; nil where `detail` does not say so. libcurl 7.88 hands its code (`nghttp2.h`) on in a
  /// sentence only, and without it whoever breaks the rules of HTTP/2 looks like whoever has lost a connection.
  static func refusal(_ detail: String) -> FetchError? {
    guard detail.hasPrefix(refusalStart) else { return nil }
    let code = Int(detail.dropFirst(refusalStart.count).prefix { $0 == "-" || $0.isNumber })
    // A callback that fails is libcurl's own limit for the headers of one stream; the other is CONTINUATION without end.
    return code == -902 || code == -905
      ? .headersTooLarge(maximum: 131_072) : .responseInvalid(detail: detail)
  }

  /// The same of a line that libcurl tells, which may be any.
  static func refusal(_ line: Span<UInt8>) -> FetchError? {
    guard !line.isEmpty, line[0] == refusalStart.utf8.first else { return nil }
    return refusal(String(decoding: line.indices.map { line[$0] }, as: UTF8.self))
  }
}
