internal import CCurl
internal import Fetching
internal import Supporting

extension Transfer {
  /// Makes libcurl call this transfer, which must live as long as its handle.
  func setCallbacks() throws(FetchError) {
    let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
    let code = unsafe curl_set_callbacks(
      easy.pointer, owner,
      { start, size, count, transfer in
        unsafe Transfer.of(transfer).take(line: Span(_unsafeElements: bytes(start, size * count)))
          ? size * count : 0
      },
      { start, size, count, transfer in
        unsafe Transfer.of(transfer).take(piece: Span(_unsafeElements: bytes(start, size * count)))
        return size * count
      }, nil, nil,
      { transfer, _, wanted in
        guard let wanted = unsafe wanted else { return CURL_SOCKET_BAD }
        return unsafe Transfer.of(transfer).open(wanted)
      },
      { transfer, _, _, _, _ in
        unsafe Transfer.of(transfer).prepareRequest()
        return CURL_PREREQFUNC_OK
      },
      { _, tls, transfer in unsafe Transfer.of(transfer).trust(in: tls) })
    try easy.check(code, CURLOPT_PRIVATE)
    // Without a callback of ours, libcurl would write its own meter to standard error.
    try easy.set(CURLOPT_NOPROGRESS, 1)
    let reading = unsafe curl_set_reading(
      easy.pointer, owner,
      { start, size, count, transfer in
        let room = unsafe UnsafeMutableRawBufferPointer(start: start, count: size * count)
        return unsafe Transfer.of(transfer).read(into: room) ?? Int(CURL_READFUNC_ABORT)
      },
      { transfer, offset, _ in
        // libcurl only ever counts from the start.
        unsafe Transfer.of(transfer).seek(to: offset) ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
      })
    try easy.check(reading, CURLOPT_READFUNCTION)
  }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    // Set by `setCallbacks`. The loop holds the transfer for as long as libcurl holds the handle.
    unsafe Unmanaged<Transfer>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }
}

private func bytes(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
  unsafe UnsafeRawBufferPointer(start: start, count: count).bindMemory(to: UInt8.self)
}

extension EasyHandle {
  mutating func apply(_ request: HTTPRequest, idleTime: Duration) throws(FetchError) {
    let url = request.url
    try applyCommonOptions()
    try set(CURLOPT_URL, ServiceURL(isSecure: url.isSecure, host: url.host, port: url.port).text)
    // Set separately, because libcurl would change a path such as `/a/../b` in the URL.
    try set(CURLOPT_REQUEST_TARGET, url.target)
    try set(CURLOPT_PROTOCOLS_STR, "http,https")
    try set(CURLOPT_CONNECTTIMEOUT_MS, Transfer.connectTime.milliseconds)
    try set(CURLOPT_MAXAGE_CONN, Int(idleTime.components.seconds))
    try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    try set(CURLOPT_BUFFERSIZE, 1_024)
    try apply(request.method, request.body.count)
    // A field without a value is written with a semicolon. libcurl leaves out `Accept` and `Expect` if
    // they have a colon and no value.
    let fields = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    try set(CURLOPT_HTTPHEADER, CurlList(fields + ["Accept:", "Expect:"]))
  }

  private func apply(_ method: String, _ count: Int) throws(FetchError) {
    switch method {
    case "GET" where count == 0: try set(CURLOPT_HTTPGET, 1)
    case "HEAD": try set(CURLOPT_NOBODY, 1)
    case "DELETE" where count == 0: try set(CURLOPT_CUSTOMREQUEST, method)
    default:
      try set(CURLOPT_UPLOAD, 1)
      try set(CURLOPT_INFILESIZE_LARGE, count)
      try set(CURLOPT_CUSTOMREQUEST, method)
    }
  }
}
