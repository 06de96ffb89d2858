internal import CCurl

/// Watches what goes over the wire for one transfer, because libcurl reads much of it without
/// reporting it. Ends connections that cost too much, and throws if the transfer must stop.
final class WireMonitor {
  /// How libcurl's messages about surplus bytes begin.
  private static let surplus = [Array("Excess found".utf8), Array("Leftovers after chunking".utf8)]
  /// Header bytes that each response may have for itself. Honest servers send fewer.
  private static let ownHeaderBytes = 8_192
  /// Header bytes beyond `ownHeaderBytes` that all responses under way share: libcurl keeps headers
  /// until a transfer ends.
  private static let sharedHeaderBytes = 262_144

  let speaksTLS: Bool
  private let context: TransferContext
  /// Bytes of the header lines, and these with what libcurl keeps for each line.
  private var headBytes = 0
  private var lineBytes = 0
  /// Bytes of TLS records since the request, counted until the head is complete.
  private var recordBytes = 0
  private var sharedBytes = 0
  var opened: [Connection] = []
  /// When the request was sent, in libcurl's microseconds. libcurl sends it again if a kept
  /// connection turns out to be closed.
  private var requestTime = 0
  private(set) var wasRequestSent = false
  /// The TLS connection of the request. Later code may only compare it: it may have been freed.
  private var tls: TLSConnection?
  private var connection: Connection?
  var stream: HTTP2Stream?
  private(set) var wasCloseNotified = false
  /// Bytes of the body with its framing. Counted only if the transfer listens (`Transfer.listen`).
  private var bodyBytes = 0

  init(_ context: TransferContext, speaksTLS: Bool) {
    self.speaksTLS = speaksTLS
    self.context = context
  }

  deinit { context.sharedHeaderBytes -= sharedBytes }

  /// Called for a new connection: a request that was sent on another one got no response.
  func forgetRequest() {
    wasRequestSent = false
    tls = nil
    connection = nil
  }

  var hasAnswer: Bool { lineBytes > 0 || stream?.hasBegun == true }

  func prepareRequest(of easy: borrowing EasyHandle) {
    tls = speaksTLS ? easy.tls : nil
    stream = tls?.isHTTP2 == true ? HTTP2Stream() : nil
    wasCloseNotified = false
    connection = easy.ends.flatMap { ends in
      let found = context.connections.find(ends, among: opened)
      found?.begin(between: ends, isHTTP2: stream != nil, isPending: tls?.hasPending == true)
      return found
    }
    opened = []
  }

  /// Returns whether a request has been sent since the last call.
  func noteRequest(of easy: borrowing EasyHandle) -> Bool {
    let time = easy.number(CURLINFO_PRETRANSFER_TIME_T)
    guard time > requestTime else { return false }
    requestTime = time
    wasRequestSent = true
    return true
  }

  /// - Throws: `FetchError.headersTooLarge`; `.resourcesExhausted` if other responses leave no
  ///   room.
  func take(line count: Int) throws(FetchError) {
    headBytes += count
    // libcurl also keeps a record for each line.
    lineBytes += max(count, 64)
    try hold(lineBytes)
  }

  /// Counts `size` bytes of headers that libcurl holds, including lines not reported yet.
  private func hold(_ size: Int) throws(FetchError) {
    let maximum = context.settings.maximumHeaderBytes
    guard size <= maximum else { throw .headersTooLarge(maximum: maximum) }
    let more = max(0, size - Self.ownHeaderBytes - sharedBytes)
    guard more == 0 || context.sharedHeaderBytes + more <= Self.sharedHeaderBytes else {
      throw .resourcesExhausted(detail: "too many answers with long headers came at once")
    }
    context.sharedHeaderBytes += more
    sharedBytes += more
  }

  /// - Parameter received: bytes of the body; nil while libcurl holds some of it back.
  func check(_ easy: borrowing EasyHandle, awaitsHead: Bool, received: Int?) throws(FetchError) {
    // Noted here because libcurl frees the connection before it reports the end of the transfer.
    if speaksTLS, easy.tls?.wasClosed == true { wasCloseNotified = true }
    // libcurl reports a header line only when it is complete. Until then, count what was read.
    if !speaksTLS, awaitsHead, let connection, easy.number(CURLINFO_STARTTRANSFER_TIME_T) > 0 {
      try hold(connection.bytesRead)
    }
    try checkBody(received)
  }

  private func checkBody(_ received: Int?) throws(FetchError) {
    if let received { try checkFraming(bodyBytes, around: lineBytes + received) }
  }

  func take(
    _ kind: curl_infotype, _ bytes: Span<UInt8>, of easy: borrowing EasyHandle, awaitsHead: Bool,
    received: Int?
  ) throws(FetchError) {
    switch kind {
    case CURLINFO_TEXT: try take(text: bytes, of: easy)
    case CURLINFO_DATA_IN:
      // Everything read so far has been handed out. libcurl may read 100 times until `check`.
      try checkBody(received)
      bodyBytes += bytes.count
    case CURLINFO_SSL_DATA_IN:
      // Checked even if this transfer has no TLS: libcurl may close a connection as the transfer
      // begins or ends.
      if let tls = easy.tls { try take(bytes, from: tls, awaitsHead: awaitsHead) }
    default: break
    }
  }

  private func take(text: Span<UInt8>, of easy: borrowing EasyHandle) throws(FetchError) {
    // libcurl 7.88.1 (SurplusTests) drops surplus bytes, and would keep the connection.
    for words in Self.surplus where text.starts(with: words) { try easy.set(CURLOPT_FORBID_REUSE, 1) }
    // libcurl also reports refusals on idle connections to a transfer that has sent nothing yet.
    guard let refusal = FetchError.refusal(text), easy.number(CURLINFO_PRETRANSFER_TIME_T) > 0 else { return }
    // libcurl reports a refusal only once. To other transfers on this connection, it would look
    // like the end of their bodies.
    easy.tls?.end()
    throw refusal
  }

  private func take(_ bytes: Span<UInt8>, from tls: TLSConnection, awaitsHead: Bool) throws(FetchError) {
    guard let size = tls.take(bytes) else { return }
    let isOwn = self.tls?.sums === tls.sums
    do throws(FetchError) {
      try checkFraming(tls.sums.received, around: tls.sums.useful)
      // Only earlier records are sure to hold headers alone: this one may contain part of the body,
      // and HTTP/2 records may contain frames of other transfers.
      if isOwn, wasRequestSent, awaitsHead, !tls.isHTTP2 {
        try hold(recordBytes)
        recordBytes += size
      }
    } catch {
      tls.end()
      if isOwn { throw error }
    }
  }

  /// Honest framing takes far less than an eighth. The rest is chunk extensions, control frames,
  /// etc.
  private func checkFraming(_ count: Int, around seen: Int) throws(FetchError) {
    guard count <= seen + seen / 8 + 4 * context.settings.maximumHeaderBytes else {
      throw .responseInvalid(detail: "it wraps \(seen) bytes into \(count)")
    }
  }

  /// - Parameter received: bytes of the body; nil if it may have had framing.
  func complete(received: Int?) {
    connection?.complete(bytes: speaksTLS ? 0 : received.map { headBytes + $0 })
  }
}
