internal import CCurl

/// Watches what goes over the wire for one transfer: libcurl reads much of that without a word to us.
/// Ends connections that nobody can bear, and throws why the transfer must stop.
final class WireMonitor {
  /// How libcurl's words for surplus begin.
  private static let surplus = [Array("Excess found".utf8), Array("Leftovers after chunking".utf8)]
  /// Bytes of headers that each response has for itself, more than honest ones send.
  private static let ownHeaderBytes = 8_192
  /// Bytes that all responses under way with more than that share: libcurl keeps headers until they end.
  private static let sharedHeaderBytes = 262_144

  let speaksTLS: Bool
  private let context: TransferContext
  private var lineBytes = 0
  /// Of TLS records since the request, until the head is complete.
  private var recordBytes = 0
  private var sharedBytes = 0
  var opened: [Connection] = []
  /// In libcurl's microseconds. It repeats a request if a kept connection turns out to be closed.
  private var requestTime = 0
  private(set) var wasRequestSent = false
  /// Of the request. Only to be compared: it may have been freed since.
  private var tls: TLSConnection?
  private var connection: Connection?
  var stream: HTTP2Stream?
  private(set) var wasCloseNotified = false
  /// Bytes of the body with its framing, as they came; only if the transfer listens.
  private var bodyBytes = 0

  init(_ context: TransferContext, speaksTLS: Bool) {
    self.speaksTLS = speaksTLS
    self.context = context
  }

  deinit { context.sharedHeaderBytes -= sharedBytes }

  /// For a new connection: what was sent on another had no response.
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

  /// Returns whether a request was sent since the last call.
  func noteRequest(of easy: borrowing EasyHandle) -> Bool {
    let time = easy.number(CURLINFO_PRETRANSFER_TIME_T)
    guard time > requestTime else { return false }
    requestTime = time
    wasRequestSent = true
    return true
  }

  /// - Throws: `FetchError.headersTooLarge`; `.resourcesExhausted` if the headers of others leave no room.
  func take(line count: Int) throws(FetchError) {
    // libcurl keeps a record of each line.
    lineBytes += max(count, 64)
    try hold(lineBytes)
  }

  /// libcurl holds `size` bytes of headers, among them lines of which we have not heard yet.
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

  /// - Parameter received: bytes of the body; nil while libcurl keeps some of what it has read.
  func check(_ easy: borrowing EasyHandle, awaitsHead: Bool, received: Int?) throws(FetchError) {
    // libcurl frees the connection before it says that the transfer has ended.
    if speaksTLS, easy.tls?.wasClosed == true { wasCloseNotified = true }
    // libcurl keeps a header line until it has all of it.
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
      // What was read before has been handed out. libcurl may read a hundred times until `check`.
      try checkBody(received)
      bodyBytes += bytes.count
    case CURLINFO_SSL_DATA_IN:
      // Even without TLS of its own: a connection may be closed as this transfer begins or ends.
      if let tls = easy.tls { try take(bytes, from: tls, awaitsHead: awaitsHead) }
    default: break
    }
  }

  private func take(text: Span<UInt8>, of easy: borrowing EasyHandle) throws(FetchError) {
    // libcurl 7.88.1 (SurplusTests) drops what it has read behind an answer, and would keep the connection.
    for words in Self.surplus where text.starts(with: words) { try easy.set(CURLOPT_FORBID_REUSE, 1) }
    // libcurl says it of idle connections, too, to a transfer that has sent nothing yet.
    guard let refusal = FetchError.refusal(text), easy.number(CURLINFO_PRETRANSFER_TIME_T) > 0 else { return }
    // It is said once: to others on this connection it would look like the end of their bodies.
    easy.tls?.end()
    throw refusal
  }

  private func take(_ bytes: Span<UInt8>, from tls: TLSConnection, awaitsHead: Bool) throws(FetchError) {
    guard let size = tls.take(bytes) else { return }
    let isOwn = self.tls?.sums === tls.sums
    do throws(FetchError) {
      try checkFraming(tls.sums.received, around: tls.sums.useful)
      // Before the record is read: those before it were no body. In frames there is what belongs to others.
      if isOwn, wasRequestSent, awaitsHead, !tls.isHTTP2 {
        try hold(recordBytes)
        recordBytes += size
      }
    } catch {
      tls.end()
      if isOwn { throw error }
    }
  }

  /// Honest framing takes far less than an eighth. The rest is chunk extensions, control frames, and such.
  private func checkFraming(_ count: Int, around seen: Int) throws(FetchError) {
    guard count <= seen + seen / 8 + 4 * context.settings.maximumHeaderBytes else {
      throw .responseInvalid(detail: "it wraps \(seen) bytes into \(count)")
    }
  }

  func complete() { connection?.complete(countsBytes: !speaksTLS) }
}
