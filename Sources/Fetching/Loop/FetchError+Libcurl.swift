internal import CCurl

extension FetchError {
  /// What libcurl's `code` (`libcurl-errors(3)`) means at this point of an exchange.
  init(
    _ code: CURLcode, detail: String, received: Int, head: ResponseHead, isInBody: Bool, host: String,
    maximumHeaderBytes: Int
  ) {
    self =
      switch code {
      case CURLE_URL_MALFORMAT: .urlInvalid(detail: detail)
      case CURLE_COULDNT_RESOLVE_HOST: .dnsFailed(host: host, detail: detail, isTransient: true)
      case CURLE_OPERATION_TIMEDOUT, CURLE_ABORTED_BY_CALLBACK: .cancelled
      case CURLE_WRITE_ERROR: .stopped
      case CURLE_RECV_ERROR where Self.refusal(detail) != nil:
        Self.refusal(detail) ?? .responseInvalid(detail: detail)
      case _ where Self.isOfChunks(detail): .responseInvalid(detail: detail)
      case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
        CURLE_HTTP2_STREAM:
        // Broken off: before the head there is nothing to call a body.
        isInBody
          ? .bodyTruncated(received: received, announced: head.contentLength)
          : .connectFailed(detail: detail, isTransient: true)
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
        .responseInvalid(detail: detail)
      // libcurl's word for a folded line (RFC 9112 section 5.2) with none before it.
      case CURLE_BAD_FUNCTION_ARGUMENT where !head.isComplete:
        .responseInvalid(detail: "its head has a line that is no header")
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

  /// libcurl's words for chunks, and for trailers, that are none: it has no code for them.
  private static func isOfChunks(_ detail: String) -> Bool {
    detail.hasSuffix(" in chunked-encoding") || detail == "Failed reading the chunked-encoded stream"
  }

  private static let refusalStart = "h2_process_pending_input: nghttp2_session_mem_recv() returned "

  /// What nghttp2 was fed and does not take; nil where `detail` does not say so. libcurl 7.88 hands its code
  /// (`nghttp2.h`) on in a sentence only, and without it whoever breaks the rules of HTTP/2 looks like
  /// whoever has lost a connection.
  static func refusal(_ detail: String) -> FetchError? {
    guard detail.hasPrefix(refusalStart) else { return nil }
    let code = Int(detail.dropFirst(refusalStart.count).prefix { $0 == "-" || $0.isNumber })
    // A callback that fails is libcurl's own limit for the headers of one stream; the other is CONTINUATION
    // without end.
    return code == -902 || code == -905
      ? .headersTooLarge(maximum: 131_072) : .responseInvalid(detail: detail)
  }

  /// The same of a line that libcurl tells, which may be any.
  static func refusal(_ line: Span<UInt8>) -> FetchError? {
    guard !line.isEmpty, line[0] == refusalStart.utf8.first else { return nil }
    return refusal(String(decoding: line.indices.map { line[$0] }, as: UTF8.self))
  }
}
