internal import CCurl

/// What goes over the wire for one transfer: on what connection its request was sent, and what came back,
/// held against what is sensible. libcurl reads much of that without a word to us.
///
/// It ends connections that nobody can bear, and leaves it to the transfer to stop: what it throws is why.
final class WireMonitor {
  /// How libcurl's words for surplus begin.
  private static let surplus = [Array("Excess found".utf8), Array("Leftovers after chunking".utf8)]

  private let maximumHeaderBytes: Int
  private var headers: HeaderCount
  let speaksTLS: Bool
  private let connections: Connections
  /// Those that were opened for the next request.
  private var opened: [Connection] = []
  /// When the last request was sent, in microseconds since the transfer began as libcurl counts them; 0
  /// before the first one. libcurl sends it again where a connection that it had kept turns out to be closed.
  private var requestTime = 0
  private(set) var wasRequestSent = false
  /// With TLS: the connection of the request. Only to be compared: it may have been freed since.
  private var tls: TLSConnection?
  /// The same, as a socket.
  private var connection: Connection?
  /// Nil unless it is HTTP/2.
  private(set) var stream: HTTP2Stream?
  /// Whether the server has closed its connection over TLS in good order.
  private(set) var wasCloseNotified = false
  /// Bytes of the body with its framing, as they came; of one that the transfer listens to.
  private var bodyBytes = 0

  /// - Parameter connections: all that there are.
  init(maximumHeaderBytes: Int, allowance: HeaderAllowance, speaksTLS: Bool, connections: Connections) {
    self.maximumHeaderBytes = maximumHeaderBytes
    headers = HeaderCount(maximum: maximumHeaderBytes, allowance: allowance)
    self.speaksTLS = speaksTLS
    self.connections = connections
  }

  /// A connection is to be made. Nothing has been sent on this one, and what was sent on another had no
  /// response.
  func forgetRequest() {
    wasRequestSent = false
    tls = nil
    connection = nil
  }

  /// Its socket is open.
  func open(_ connection: Connection) { opened.append(connection) }

  /// Whether anything has come of the answer to the last request.
  var hasAnswer: Bool { headers.lineBytes > 0 || stream?.hasBegun == true }

  /// A request is about to be sent, on a connection that is there.
  func prepareRequest(of easy: borrowing EasyHandle) {
    tls = speaksTLS ? easy.tls : nil
    stream = tls?.isHTTP2 == true ? HTTP2Stream() : nil
    wasCloseNotified = false
    let ends = easy.ends
    connection = ends.flatMap { connections.find($0, among: opened) }
    opened = []
    if let ends {
      connection?.begin(between: ends, isHTTP2: stream != nil, isPending: tls?.hasPending == true)
    }
  }

  func receiveFrame(with count: Int, isLast: Bool) { stream?.receive(count, isLast: isLast) }

  func note(_ violation: HTTP2Stream.Violation) { stream?.violation = violation }

  /// - Returns: whether a request has been sent since this was last asked.
  func noteRequest(of easy: borrowing EasyHandle) -> Bool {
    let time = easy.number(CURLINFO_PRETRANSFER_TIME_T)
    guard time > requestTime else { return false }
    requestTime = time
    wasRequestSent = true
    return true
  }

  /// libcurl hands out a line of the headers, or of the trailers, of `count` bytes.
  /// - Throws: as `HeaderCount`.
  func take(line count: Int) throws(FetchError) { try headers.take(line: count) }

  /// Looks at what has been read without TLS, and at what came of it.
  /// - Parameters:
  ///   - awaitsHead: whether the head is not complete yet.
  ///   - received: of the body, in bytes; nil while libcurl keeps some of what it has read.
  /// - Throws: `FetchError.responseInvalid`, and as `HeaderCount`.
  func check(_ easy: borrowing EasyHandle, awaitsHead: Bool, received: Int?) throws(FetchError) {
    // libcurl frees the connection before it says that the transfer has ended.
    if speaksTLS, easy.tls?.wasClosed == true { wasCloseNotified = true }
    // libcurl keeps a header line to itself until it has all of it. Next to no head comes in pieces: the
    // others are not looked at.
    if !speaksTLS, awaitsHead, let connection, easy.number(CURLINFO_STARTTRANSFER_TIME_T) > 0 {
      try headers.note(read: connection.bytesRead)
    }
    try checkBody(received)
  }

  /// - Parameter received: as with `check`.
  private func checkBody(_ received: Int?) throws(FetchError) {
    guard let received else { return }
    try checkFraming(bodyBytes, around: headers.lineBytes + received)
  }

  /// Takes what is read of the body, with its framing, before libcurl looks at it.
  /// - Parameter received: as with `check`.
  /// - Throws: `FetchError.responseInvalid`.
  func take(body count: Int, received: Int?) throws(FetchError) {
    // What was read before has been handed out. libcurl may read a hundred times before it asks how it goes.
    try checkBody(received)
    bodyBytes += count
  }

  /// Takes what libcurl says.
  /// - Throws: `FetchError.responseInvalid`, `.headersTooLarge`.
  func take(text: Span<UInt8>, of easy: borrowing EasyHandle) throws(FetchError) {
    // libcurl drops what it has read behind an answer, and would keep the connection.
    for words in Self.surplus where text.starts(with: words) { try easy.set(CURLOPT_FORBID_REUSE, 1) }
    guard let refusal = FetchError.refusal(text), easy.number(CURLINFO_PRETRANSFER_TIME_T) > 0 else { return }
    // Said once, so the connection has to end: others on it would take this for the end of their bodies.
    // libcurl says it of idle connections, too, to a transfer that has sent nothing yet.
    easy.tls?.end()
    throw refusal
  }

  /// Of a connection with TLS these are also the headers of its records, in which everything else is, and the
  /// messages of its handshake: what libcurl reads without a word to us is counted here, and ended here.
  /// - Parameter awaitsHead: as with `check`.
  /// - Throws: `FetchError.responseInvalid`, and as `HeaderCount`.
  func take(_ bytes: Span<UInt8>, from tls: TLSConnection, awaitsHead: Bool) throws(FetchError) {
    if let size = TLSConnection.recordSize(bytes) {
      tls.receive(size)
      // libcurl reads also from connections that it closes to make room, in the name of the transfer that begins
      // or ends then.
      let isOwn = self.tls.map { $0.isSame(as: tls) } ?? false
      do throws(FetchError) {
        try checkFraming(tls.received, around: tls.useful)
        // Before the record is read: those before it were no body. In frames there is what belongs to others.
        if isOwn, wasRequestSent, awaitsHead, !tls.isHTTP2 { try headers.take(record: size) }
      } catch {
        tls.end()
        if isOwn { throw error }
      }
    } else if TLSConnection.isHandshake(bytes) {
      tls.receiveHandshakeRecord()
    } else if let type = TLSConnection.messageType(bytes) {
      tls.receiveMessage(type)
    }
  }

  /// Sensible chunks, frames and records take far less than an eighth. The rest is chunk extensions, control
  /// frames, and the like.
  private func checkFraming(_ count: Int, around seen: Int) throws(FetchError) {
    guard count <= seen + seen / 8 + 4 * maximumHeaderBytes else {
      throw .responseInvalid(detail: "it wraps \(seen) bytes into \(count)")
    }
  }

  /// The answer is over. What is read from here on is another's.
  func complete() { connection?.complete(countsBytes: !speaksTLS) }
}
