internal import CCurl
internal import Glibc

/// A transfer as it stands when libcurl is done with it.
struct TransferEnd {
  /// What libcurl says.
  let code: CURLcode
  /// Why it was stopped; nil where it was not.
  let failure: FetchError?
  let head: ResponseHead
  /// Of the body, in bytes.
  let received: Int
  /// Nil unless it is HTTP/2.
  let stream: HTTP2Stream?

  /// What is wrong; nil where there is all that was wanted, of a redirect its head.
  /// - Parameter bodyEnd: how we know that the body is whole.
  func error(
    of easy: borrowing EasyHandle, host: String, maximumHeaderBytes: Int, bodyEnd: () -> BodyEnd
  ) -> FetchError? {
    if case .httpStatus(let status, _) = failure {
      return .httpStatus(status, retryAfter: head.hasRetryAfter ? easy.number(CURLINFO_RETRY_AFTER) : nil)
    }
    if let failure { return failure }
    if head.isComplete, head.isRedirect { return nil }
    // Others cut the body, as any end of a connection does.
    if let violation = stream?.violation,
      violation.isOfAnswer || !(head.isComplete || stream?.hasBody == true)
    {
      return .responseInvalid(detail: violation.description)
    }
    let isInBody = head.isComplete || stream?.hasBegun == true
    guard code == CURLE_OK else {
      // Whatever libcurl was doing: a reset in the TLS handshake is a reset, and no certificate to be
      // checked.
      let isReset = [ECONNRESET, EPIPE, ECONNABORTED].contains(Int32(easy.long(CURLINFO_OS_ERRNO)))
      return FetchError(
        isReset && code == CURLE_SSL_CONNECT_ERROR ? CURLE_RECV_ERROR : code,
        detail: easy.errorDetail ?? (unsafe String(cString: curl_easy_strerror(code))),
        received: received, head: head, isInBody: isInBody, host: host, maximumHeaderBytes: maximumHeaderBytes
      )
    }
    guard isInBody else {
      // To libcurl a response may end in the middle of its headers.
      return .connectFailed(detail: "the connection ended before the headers did", isTransient: true)
    }
    return bodyEnd() == .nothing
      ? .bodyTruncated(received: received, announced: head.contentLength) : nil
  }
}
