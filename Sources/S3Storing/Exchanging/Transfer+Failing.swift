internal import CCurl
internal import COpenSSL
internal import Fetching
internal import Glibc
internal import Supporting

extension Transfer {
  /// Whether the server may have closed a kept connection just when it was used again. libcurl 7.88.1 only tries
  /// again if it notices that while it reads, not while it sends.
  func mayBeStale(_ code: CURLcode) -> Bool {
    [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING].contains(code) && !answer.hasBegun
      && easy.number(CURLINFO_NUM_CONNECTS) == 0
  }

  /// Explains an error of libcurl to the operator.
  func failure(_ code: CURLcode) -> HTTPFailure {
    let url = exchange.request.url
    let detail = easy.errorDetail ?? (unsafe String(cString: curl_easy_strerror(code)))
    let number = Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO))
    let isReset = [ECONNRESET, EPIPE, ECONNABORTED].contains(number)
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return HTTPFailure(
        problem: "the name \(url.host) was not found",
        advice: "check its spelling, and this machine's name servers", mayTryAgain: true)
    case CURLE_COULDNT_CONNECT:
      if let noSocket { return .lacking(noSocket, for: url) }
      return HTTPFailure(
        problem: "no connection to \(url.authority): \(number == 0 ? detail : String(errno: number))",
        advice: "check that the service runs there, and the network to it",
        mayTryAgain: ![EACCES, EPERM].contains(number))
    case CURLE_OPERATION_TIMEDOUT:
      return exchange.lateness(Self.connectTime)
    case CURLE_PEER_FAILED_VERIFICATION: return distrust(detail)
    case CURLE_SSL_CONNECT_ERROR where isReset:
      return .cut(url, "reset the connection during the TLS handshake")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
      return .unusable(url, "does not speak TLS 1.2 or later (\(detail))")
    // libcurl 7.88.1: a line of more than 100 KB that arrives all at once.
    case CURLE_OUT_OF_MEMORY where !answer.hasHead: return .headTooLong(url)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
      return .notHTTP(url)
    // libcurl 7.88.1: a folded line without a line before it.
    case CURLE_BAD_FUNCTION_ARGUMENT where !answer.hasHead: return .notHTTP(url)
    case _ where detail.hasSuffix(" in chunked-encoding"): return .notHTTP(url)
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
      return .cut(url, "\(isReset ? "reset" : "closed") the connection \(place)")
    default: return .lacking(.resourcesExhausted(detail: detail), for: url)
    }
  }

  /// Where an answer was cut.
  var place: String {
    guard answer.hasHead else {
      return answer.hasBegun ? "in the middle of its answer" : "before it answered"
    }
    let whole = answer.bodyLength.map { " of \($0)" } ?? ""
    return "after \(answer.bodyBytes)\(whole) bytes of its answer"
  }

  private func distrust(_ detail: String) -> HTTPFailure {
    let name = exchange.request.url.authority
    let (problem, advice) =
      switch Int32(truncatingIfNeeded: easy.number(CURLINFO_SSL_VERIFYRESULT)) {
      // libcurl's initial value. It compares the names after the handshake, before it asks OpenSSL.
      case X509_V_ERR_UNSPECIFIED:
        ("is for other names", "use the name that it was made for")
      case X509_V_ERR_CERT_HAS_EXPIRED:
        ("has expired", "renew it, or set this machine's clock")
      case X509_V_ERR_CERT_NOT_YET_VALID:
        ("is not valid yet", "set this machine's clock")
      case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
        X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        (
          "is not from an authority that this machine trusts",
          "if the authority is your own, name its file with --ca-file"
        )
      default: ("cannot be trusted (\(detail))", "check the certificate, and --ca-file")
      }
    return HTTPFailure(
      problem: "the certificate of \(name) \(problem)", advice: advice, mayTryAgain: false)
  }
}
