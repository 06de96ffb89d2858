internal import CCurl
internal import Glibc
internal import Supporting

/// One exchange under way. libcurl calls it on the transfer loop's thread. Enforces all limits:
/// libcurl 7.88.1 (FloodTests) does not limit chunked bodies, trailers, or redirects' bodies.
@safe final class Transfer {
  let exchange: Exchange
  let context: TransferContext
  let easy: EasyHandle
  let wire: WireMonitor
  let begun = ContinuousClock.now
  var hop: Hop
  private(set) var head = ResponseHead()
  private(set) var failure: FetchError?
  private var taken = LoopTurn.Taken()
  /// How many sockets were to be opened.
  private(set) var openings = 0
  /// Whether the host has addresses of one family only, as far as is known.
  let hasOneFamily: Bool
  /// Whether it waits for its next turn. Meanwhile, libcurl may hand out or keep what it has read.
  private var isPaused = false

  init(_ resolved: ResolvedExchange, in context: TransferContext) throws(FetchError) {
    let exchange = resolved.exchange
    self.exchange = exchange
    self.context = context
    hasOneFamily = Set((resolved.addresses ?? []).map(\.family)).count < 2
    wire = WireMonitor(context, speaksTLS: exchange.url.scheme == .https)
    hop = Hop(url: exchange.journal.name(of: exchange.url), attempt: exchange.attempt)
    var easy = try EasyHandle()
    try easy.apply(
      context.settings, to: try context.root(of: exchange.url), target: exchange.url.target,
      headers: exchange.conditions.isEmpty
        ? context.headers : CurlList(EasyHandle.requestHeaders(context.settings) + exchange.conditions))
    if let addresses = resolved.addresses {
      hop.timings.dns = exchange.started.duration(to: resolved.resolved).microseconds
      try easy.pin(exchange.url, to: addresses)
    }
    try easy.set(CURLOPT_TIMEOUT_MS, max(1, ContinuousClock.now.duration(to: exchange.cutoff).milliseconds))
    self.easy = easy
    try setCallbacks()
    if context.trust != nil { try listen() }
  }

  /// Makes libcurl report incoming data and its own messages, which is expensive. Used for a body
  /// of unknown length, to see its framing, and after a response without a body. Once any transfer
  /// uses TLS, all transfers listen: if libcurl closes a connection, it reports that connection's
  /// data to whichever transfer begins or ends just then.
  func listen() throws(FetchError) { try easy.set(CURLOPT_VERBOSE, 1) }

  /// Whether it will soon take more memory. After a second of silence, nothing may ever arrive.
  func isInHandshake(at now: ContinuousClock.Instant) -> Bool {
    wire.speaksTLS && !wire.wasRequestSent && now < begun + .seconds(1)
  }

  private var tls: TLSConnection? { wire.speaksTLS ? easy.tls : nil }
  var brokenBody: FetchError { .bodyTruncated(received: hop.received, announced: head.contentLength) }

  @discardableResult
  private func stop(_ error: FetchError) -> Bool {
    failure = failure ?? error
    tls?.giveUp(head.contentLength.map { $0 - hop.received })
    return false
  }

  // MARK: - Callbacks. Those that return a Bool say whether to go on

  /// Opens a socket for libcurl. Applies the address rule here, because every spelling, redirect,
  /// and second lookup ends at this socket.
  func open(_ wanted: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    openings += 1
    do throws(FetchError) {
      guard let address = unsafe IPAddress(curl_wanted_address(wanted)) else {
        throw .addressBlocked(address: "an unknown family", purpose: "neither IPv4 nor IPv6")
      }
      try context.settings.addresses.check(address)
      exchange.journal.update { $0.phase = .connecting }
      wire.forgetRequest()
      let type = unsafe wanted.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
      let descriptor = unsafe socket(wanted.pointee.family, type, wanted.pointee.protocol)
      if descriptor >= 0 {
        wire.opened.append(context.connections.add(descriptor))
        return descriptor
      }
      switch errno {
      case EMFILE, ENFILE: throw .openFilesExhausted
      case ENOBUFS, ENOMEM: throw .resourcesExhausted(detail: String(errno: errno))
      default: break
      }
    } catch {
      failure = error
    }
    context.connections.failToOpen()
    return CURL_SOCKET_BAD
  }

  func prepareRequest() -> Bool {
    // libcurl asks again over HTTP/1.1 after HTTP_1_1_REQUIRED, even in the middle of a body.
    if wire.hasAnswer { return stop(brokenBody) }
    wire.prepareRequest(of: easy)
    return true
  }

  func noteRequest() {
    if !head.isComplete, wire.noteRequest(of: easy) { exchange.journal.update { $0.phase = .answering } }
  }

  func take(line: Span<UInt8>) -> Bool {
    do throws(FetchError) {
      try wire.take(line: line.count)
      tls?.use(line.count)
      // Only bodies of unknown length have trailers. Otherwise, libcurl sees a different response.
      guard !head.isComplete || head.contentLength == nil || wire.speaksTLS else {
        throw .responseInvalid(detail: "it has headers after its head")
      }
      guard try head.read(line) else { return true }
      if head.hasNoBody || (head.contentLength ?? 0) == 0 { try listen() }
      if exchange.gated != nil { context.news.append(exchange.id) }
      if try admitBody() { return true }
      tls?.giveUp(head.contentLength)
      return false
    } catch {
      return stop(error)
    }
  }

  private func admitBody() throws(FetchError) -> Bool {
    hop.status = head.status
    // The body of a redirect is not read. Without one, the connection can be kept for the next hop.
    if head.isRedirect { return head.contentLength == 0 }
    // A 304 ends with its head (RFC 9110 section 15.4.5).
    if head.status == 304, !exchange.conditions.isEmpty { return true }
    guard (200...299).contains(head.status), head.status != 206 else {
      throw .httpStatus(head.status, retryAfter: nil)
    }
    if let (field, encoding) = head.foreignEncoding(besides: exchange.consumer.contentCoding) {
      throw .encodingNotAllowed(field: field, encoding)
    }
    if let length = head.contentLength, length > maximumBytes {
      throw .bodyTooLarge(maximum: context.settings.maximumBodyBytes, announced: length)
    }
    exchange.journal.update { ($0.phase, $0.received, $0.announced) = (.receiving, 0, head.contentLength) }
    guard exchange.consumer.begin(head) == .more else { throw .stopped }
    return true
  }

  private var maximumBytes: Int { exchange.consumer.maximumBytes ?? context.settings.maximumBodyBytes }

  func take(piece: Span<UInt8>) -> Bool {
    if head.isRedirect || failure != nil { return false }
    hop.received += piece.count
    tls?.use(piece.count)
    guard hop.received <= maximumBytes else {
      return stop(.bodyTooLarge(maximum: context.settings.maximumBodyBytes, announced: nil))
    }
    exchange.journal.update { $0.received = hop.received }
    guard exchange.consumer.receive(piece) == .more else { return stop(.stopped) }
    // An HTTP/2 connection also carries the frames of other transfers.
    if context.turn.takes(piece.count, &taken), tls?.isHTTP2 != true {
      isPaused = true
      // If only one direction were paused, libcurl would check the connection and read from it.
      _ = unsafe curl_easy_pause(easy.pointer, CURLPAUSE_RECV | CURLPAUSE_SEND)
      context.turn.paused.append(exchange.id)
    }
    return true
  }

  func reportHead() { exchange.gated?.headArrived(announcing: head.contentLength) }

  /// Resumes the transfer. Before this returns, libcurl hands out what it has kept.
  func resume() -> CURLcode {
    isPaused = false
    return unsafe curl_easy_pause(easy.pointer, CURLPAUSE_CONT)
  }

  /// Ends the transfer if it was cancelled, or if far more arrived on the wire than was handed out.
  func progress() -> Bool {
    if exchange.cancellation.isSet { return stop(.cancelled) }
    noteRequest()
    do throws(FetchError) {
      try wire.check(easy, awaitsHead: !head.isComplete, received: handedOut)
      return true
    } catch {
      return stop(error)
    }
  }

  private var handedOut: Int? { isPaused ? nil : hop.received }

  func take(_ kind: curl_infotype, _ bytes: Span<UInt8>) {
    do throws(FetchError) {
      try wire.take(kind, bytes, of: easy, awaitsHead: !head.isComplete, received: handedOut)
    } catch {
      stop(error)
    }
  }
}
