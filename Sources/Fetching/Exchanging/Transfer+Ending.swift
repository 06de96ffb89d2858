internal import CCurl
internal import Glibc
internal import Supporting

extension Transfer {
  func ending(_ code: CURLcode) -> Exchange.Ending {
    noteRequest()
    wire.complete(received: head.contentLength == nil ? nil : hop.received)
    hop.error = error(code)
    // libcurl counts from when it was given the transfer.
    let before = exchange.started.duration(to: begun).microseconds
    func reached(_ info: CURLINFO) -> Int? {
      let time = easy.number(info)
      return time > 0 ? before + time : nil
    }
    if let address = easy.string(CURLINFO_PRIMARY_IP), !address.isEmpty {
      hop.address = "\(address.bracketingIPv6):\(easy.number(CURLINFO_PRIMARY_PORT))"
    }
    hop.timings.connect = reached(CURLINFO_CONNECT_TIME_T)
    hop.timings.tls = reached(CURLINFO_APPCONNECT_TIME_T)
    hop.timings.firstByte = reached(CURLINFO_STARTTRANSFER_TIME_T)
    hop.timings.total = exchange.started.duration(to: .now).microseconds
    return Exchange.Ending(hop: hop, head: head, wasRequestSent: wire.wasRequestSent)
  }

  private func error(_ code: CURLcode) -> FetchError? {
    if case .httpStatus(let status, _) = failure {
      return .httpStatus(status, retryAfter: head.hasRetryAfter ? easy.number(CURLINFO_RETRY_AFTER) : nil)
    }
    if let failure { return failure }
    if head.isComplete, head.isRedirect { return nil }
    let stream = wire.stream
    // Any other violation cuts the body off, like the end of a connection.
    if let violation = stream?.violation,
      violation.isOfAnswer || !(head.isComplete || stream?.hasBody == true)
    {
      return .responseInvalid(detail: violation.description)
    }
    let isInBody = head.isComplete || stream?.hasBegun == true
    guard code == CURLE_OK else { return error(code, isInBody: isInBody) }
    // libcurl accepts a response that ends in the middle of its headers.
    guard isInBody else {
      return .connectFailed(detail: "the connection ended before the headers did", isTransient: true)
    }
    return isWhole ? nil : brokenBody
  }

  /// Whether the body is whole. libcurl may accept a part (RFC 9112 section 8, RFC 9113 section
  /// 8.1).
  private var isWhole: Bool {
    if head.hasNoBody || head.contentLength == hop.received { return true }
    if head.contentLength != nil { return false }
    if let stream = wire.stream { return stream.isWhole(at: hop.received) }
    // If the last chunk is missing, libcurl reports an error.
    if head.isChunked { return true }
    // Anyone on the path can end a connection. Only close_notify (TLS) or the file shows the end.
    return wire.speaksTLS ? wire.wasCloseNotified : exchange.consumer.showsEnd()
  }

  private func error(_ code: CURLcode, isInBody: Bool) -> FetchError {
    let detail = easy.errorDetail ?? (unsafe String(cString: curl_easy_strerror(code)))
    let number = Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO))
    // A reset during the TLS handshake says nothing about a certificate.
    let isReset = [ECONNRESET, EPIPE, ECONNABORTED].contains(number)
    switch isReset && code == CURLE_SSL_CONNECT_ERROR ? CURLE_RECV_ERROR : code {
    case CURLE_URL_MALFORMAT: return .urlInvalid(detail: detail)
    case CURLE_COULDNT_RESOLVE_HOST:
      return .dnsFailed(host: exchange.url.host, detail: detail, isTransient: true)
    // The number is that of the last address. Without a route or, as in containers without IPv6, an
    // address to connect from, the next answer of the name servers may have the other family, too:
    // that part may have been late (`NameAnswers`).
    case CURLE_COULDNT_CONNECT
    where hasOneFamily && [ENETUNREACH, EADDRNOTAVAIL, EHOSTUNREACH].contains(number):
      return .connectFailed(
        detail: "\(detail): \(String(errno: number))", isTransient: number != EHOSTUNREACH)
    case CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK: return .cancelled
    case CURLE_WRITE_ERROR: return .stopped
    case CURLE_RECV_ERROR where FetchError.refusal(detail) != nil:
      return FetchError.refusal(detail) ?? .responseInvalid(detail: detail)
    // libcurl 7.88.1 (FailureTests) has no error code for broken chunks and trailers.
    case _
    where detail.hasSuffix(" in chunked-encoding") || detail == "Failed reading the chunked-encoded stream":
      return .responseInvalid(detail: detail)
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
      CURLE_HTTP2_STREAM:
      return isInBody ? brokenBody : .connectFailed(detail: detail, isTransient: true)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      return .responseInvalid(detail: detail)
    // libcurl 7.88.1 (WireTests): a folded line (RFC 9112 section 5.2) without a line before it.
    case CURLE_BAD_FUNCTION_ARGUMENT where !head.isComplete:
      return .responseInvalid(detail: "its head has a line that is not a header")
    // libcurl 7.88.1 (FloodTests): a header line of more than 100 KB that arrives all at once.
    case CURLE_OUT_OF_MEMORY where !head.isComplete:
      return .headersTooLarge(maximum: context.settings.maximumHeaderBytes)
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: return .resourcesExhausted(detail: detail)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE:
      return .tlsFailed(detail: detail)
    default: return .connectFailed(detail: detail, isTransient: false)
    }
  }
}
