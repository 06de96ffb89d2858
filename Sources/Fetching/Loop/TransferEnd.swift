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
  /// `WireMonitor.isCut`.
  let isCut: Bool

  /// What is wrong; nil where there is all that was wanted, of a redirect its head.
  func error(of easy: borrowing EasyHandle, host: String, maximumHeaderBytes: Int) -> FetchError? {
    if case .httpStatus(let status, _) = failure {
      return .httpStatus(status, retryAfter: head.hasRetryAfter ? easy.number(CURLINFO_RETRY_AFTER) : nil)
    }
    if let failure { return failure }
    if head.isComplete, head.isRedirect { return nil }
    guard code == CURLE_OK else {
      // Whatever libcurl was doing: a reset in the TLS handshake is a reset, and no certificate to be
      // checked.
      let isReset = [ECONNRESET, EPIPE, ECONNABORTED].contains(Int32(easy.long(CURLINFO_OS_ERRNO)))
      return FetchError(
        isReset && code == CURLE_SSL_CONNECT_ERROR ? CURLE_RECV_ERROR : code,
        detail: easy.errorDetail ?? (unsafe String(cString: curl_easy_strerror(code))),
        received: received, head: head, host: host, maximumHeaderBytes: maximumHeaderBytes)
    }
    guard head.isComplete else {
      // To libcurl a response may end in the middle of its headers.
      return .connectFailed(detail: "the connection ended before the headers did", isTransient: true)
    }
    return isCut && head.contentLength == nil ? .bodyTruncated(received: received, announced: nil) : nil
  }
}
