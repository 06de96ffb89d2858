internal import CCurl
internal import Supporting

/// One exchange under way: what libcurl calls back into, on the transfer loop's thread.
///
/// All limits are kept here, in our own callbacks: libcurl's own ones do not see chunked bodies, trailers and
/// redirects' bodies.
@safe final class Transfer {
  let exchange: Exchange
  private let settings: FetchSettings
  let easy: EasyHandle
  /// When the exchange began, its lookup included.
  private let started: ContinuousClock.Instant
  /// When it was handed to libcurl.
  private let begun: ContinuousClock.Instant
  private var hop: Hop
  private var head = ResponseHead()
  /// Until the head is complete. Kept beside it, because it is asked for at each step.
  private var awaitsHead = true
  private var failure: FetchError?
  private var isRedirected = false
  /// Whether it is to be told of the head still.
  private var isHeadNews = false
  private let sockets: ConnectionSockets
  private let wire: WireMonitor
  private let trust: TrustStore?
  private let turn: LoopTurn
  private var taken = LoopTurn.Taken()
  /// While it waits for its next turn. libcurl may keep some of what it has read then.
  private var isPaused = false

  /// - Parameters:
  ///   - root: of its URL.
  ///   - trust: whom to trust; nil where no TLS is spoken.
  ///   - mayMeetTLS: whether there may be connections over TLS, its own or others.
  /// - Throws: `FetchError.resourcesExhausted`.
  init(
    _ resolved: ResolvedExchange, to root: ParsedRoot, settings: FetchSettings, trust: TrustStore?,
    mayMeetTLS: Bool, allowance: HeaderAllowance, sockets: ConnectionSockets, headers: RequestHeaders,
    turn: LoopTurn
  ) throws(FetchError) {
    exchange = resolved.exchange
    started = resolved.started
    self.settings = settings
    self.trust = trust
    self.turn = turn
    self.sockets = sockets
    wire = WireMonitor(
      maximumHeaderBytes: settings.maximumHeaderBytes, allowance: allowance, speaksTLS: trust != nil,
      connections: sockets.connections)
    hop = Hop(url: exchange.journal.name(of: exchange.url), attempt: exchange.attempt)
    if resolved.addresses != nil { hop.timings.dns = started.duration(to: resolved.resolved).microseconds }
    begun = .now
    var easy = try EasyHandle()
    try easy.apply(
      settings, to: root, target: exchange.url.target, headers: headers, conditions: exchange.conditions)
    if let addresses = resolved.addresses { try easy.pin(exchange.url, to: addresses) }
    try easy.set(
      CURLOPT_TIMEOUT_MS, max(1, ContinuousClock.now.duration(to: exchange.cutoff).milliseconds))
    self.easy = easy
    try self.easy.setCallbacks(to: self, trusting: trust)
    if mayMeetTLS { try listen() }
  }

  /// Has libcurl tell what comes in on the wire. It is of use to
  /// - a body of unknown length, whose framing nobody else sees. One whose length was said has none;
  /// - an answer without a body, behind which libcurl drops what it has read without closing;
  /// - all transfers where there is TLS, whose records nobody else sees: libcurl reads from a connection that
  ///   it closes to make room, and tells that to the transfer that begins or ends then.
  func listen() throws(FetchError) { try easy.listen() }

  // MARK: - Callbacks, which answer whether to go on

  func open(_ socket: SocketRequest) -> curl_socket_t {
    do throws(FetchError) {
      try socket.check(settings.addresses)
      exchange.journal.update { $0.phase = .connecting }
      wire.forgetRequest()
      let descriptor = try socket.open()
      guard descriptor != CURL_SOCKET_BAD else { return descriptor }
      wire.open(sockets.opened(descriptor))
      return descriptor
    } catch {
      failure = error
      return CURL_SOCKET_BAD
    }
  }

  /// A line of the headers, or of the trailers.
  func take(line: Span<UInt8>) -> Bool {
    do throws(FetchError) {
      try wire.take(line: line.count)
      tls?.use(line.count)
      // Trailers are for bodies of unknown length alone. To libcurl it is another answer than to us.
      guard awaitsHead || head.contentLength == nil || wire.speaksTLS else {
        throw .responseInvalid(detail: "it has headers behind its head")
      }
      guard try head.read(line) else { return true }
      awaitsHead = false
      if head.hasNoBody || (head.contentLength ?? 0) == 0 { try listen() }
      isHeadNews = exchange.transfer != nil
      if isHeadNews { turn.note(exchange.id) }
      if try admitBody() { return true }
      tls?.giveUp(head.contentLength)
      return false
    } catch {
      return stop(error)
    }
  }

  /// Whether the body behind a complete head is wanted.
  private func admitBody() throws(FetchError) -> Bool {
    hop.status = head.status
    if head.isRedirect {
      isRedirected = true
      // Without a body the connection can be kept for the next hop; with one, nobody reads it.
      return head.contentLength == 0
    }
    // It ends with its head (RFC 9110 section 15.4.5).
    if head.status == 304, !exchange.conditions.isEmpty { return true }
    guard (200...299).contains(head.status), head.status != 206 else {
      throw .httpStatus(head.status, retryAfter: nil)
    }
    if let (field, encoding) = head.foreignEncoding(besides: exchange.consumer.contentCoding) {
      throw .encodingNotAllowed(field: field, encoding)
    }
    if let length = head.contentLength, length > maximumBytes {
      throw .bodyTooLarge(maximum: maximumBytes, announced: length)
    }
    exchange.journal.update { state in
      state.phase = .receiving
      state.received = 0
      state.announced = head.contentLength
    }
    guard exchange.consumer.begin(head) == .more else { throw .stopped }
    return true
  }

  private var maximumBytes: Int { exchange.consumer.maximumBytes ?? settings.maximumBodyBytes }

  /// A piece of the body.
  func take(piece: Span<UInt8>) -> Bool {
    if isRedirected || failure != nil { return false }
    hop.received += piece.count
    tls?.use(piece.count)
    guard hop.received <= maximumBytes else {
      return stop(.bodyTooLarge(maximum: maximumBytes, announced: nil))
    }
    exchange.journal.update { $0.received = hop.received }
    guard exchange.consumer.receive(piece) == .more else { return stop(.stopped) }
    // The frames of HTTP/2 are those of others as well.
    if turn.takes(piece.count, &taken), tls?.isHTTP2 != true {
      isPaused = true
      easy.pause()
      turn.pause(exchange.id)
    }
    return true
  }

  /// Goes on with the next turn.
  /// - Returns: what it ends with; `CURLE_OK` if it goes on.
  func resume() -> CURLcode {
    isPaused = false
    return easy.resume()
  }

  /// Bytes of the body, where they are all that was read.
  private var handedOut: Int? { isPaused ? nil : hop.received }

  /// Tells `exchange.transfer` of the head. Called once a turn, when what has ended is gone already: most
  /// transfers end in the turn in which their answer comes.
  func report() {
    guard isHeadNews else { return }
    isHeadNews = false
    exchange.transfer?.headArrived(announcing: head.contentLength)
  }

  /// Bytes of the body so far.
  var received: Int { hop.received }

  /// Notes that its request is sent. Ends the transfer when it was cancelled, or when far more has come in on
  /// the wire than was handed to us.
  func progress() -> Bool {
    if exchange.cancellation.isSet { return stop(.cancelled) }
    noteRequest()
    do throws(FetchError) {
      try wire.check(easy, awaitsHead: awaitsHead, received: handedOut)
      return true
    } catch {
      return stop(error)
    }
  }

  /// A request is about to be sent: the first one, or another because nothing has come of that.
  func prepareRequest() -> Bool {
    // libcurl asks again over HTTP/1.1 if a stream ends with HTTP_1_1_REQUIRED, even in the middle of a body.
    if wire.hasAnswer {
      return stop(.bodyTruncated(received: hop.received, announced: head.contentLength))
    }
    wire.prepareRequest(of: easy)
    return true
  }

  func receiveFrame(with count: Int, isLast: Bool) { wire.receiveFrame(with: count, isLast: isLast) }

  /// It ends with this turn: libcurl would wait for more.
  func note(_ violation: HTTP2Stream.Violation) {
    wire.note(violation)
    turn.noteBroken(exchange.id)
  }

  private func noteRequest() {
    if awaitsHead, wire.noteRequest(of: easy) { exchange.journal.update { $0.phase = .answering } }
  }

  /// What comes in, before it is looked at, and what libcurl tells; from `listen` on.
  func take(_ kind: curl_infotype, _ bytes: Span<UInt8>) {
    do throws(FetchError) {
      switch kind {
      case CURLINFO_TEXT: try wire.take(text: bytes, of: easy)
      case CURLINFO_DATA_IN: try wire.take(body: bytes.count, received: handedOut)
      case CURLINFO_SSL_DATA_IN:
        // Also where this one speaks none: it may be of a connection that is closed as this one begins or ends.
        if let tls = easy.tls { try wire.take(bytes, from: tls, awaitsHead: awaitsHead) }
      default: break
      }
    } catch {
      stop(error)
    }
  }

  @discardableResult
  private func stop(_ error: FetchError) -> Bool {
    failure = failure ?? error
    tls?.giveUp(missing)
    return false
  }

  /// Whether it is in its handshake, and will soon take more memory: where nothing has come of that for a second,
  /// nothing need ever come.
  func isInHandshake(at now: ContinuousClock.Instant) -> Bool {
    trust != nil && !wire.wasRequestSent && now < begun + .seconds(1)
  }

  /// Its connection, where it speaks TLS.
  private var tls: TLSConnection? { trust == nil ? nil : easy.tls }

  /// Bytes of the body that have not come yet, where the server said how many there are.
  private var missing: Int? { head.contentLength.map { $0 - hop.received } }

  // MARK: - The end

  /// What became of it, once libcurl has said `code`.
  func ending(_ code: CURLcode) -> Exchange.Ending {
    noteRequest()
    wire.complete()
    let end = TransferEnd(
      code: code, failure: failure, head: head, received: hop.received, stream: wire.stream)
    hop.error = end.error(
      of: easy, host: exchange.url.host, maximumHeaderBytes: settings.maximumHeaderBytes,
      bodyEnd: {
        BodyEnd(of: head, received: hop.received, on: wire, file: exchange.consumer.showsEnd)
      })
    hop.note(easy, since: started, begun: begun)
    let result = hop.error.map { Result<ResponseHead, FetchError>.failure($0) } ?? .success(head)
    return Exchange.Ending(result: result, hop: hop, wasRequestSent: wire.wasRequestSent)
  }
}
