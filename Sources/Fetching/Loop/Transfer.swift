internal import CCurl
internal import Glibc
internal import Supporting

/// One exchange under way: what libcurl calls back into, on the transfer loop's thread.
///
/// All limits are kept here, in our own callbacks: libcurl's own ones do not see chunked bodies, trailers and redirects' bodies.
@safe final class Transfer {
  let exchange: Exchange
  private let settings: FetchSettings
  let easy: EasyHandle
  private let started: ContinuousClock.Instant
  private var hop: Hop
  private var head = ResponseHead()
  private var headers: HeaderCount
  private var failure: FetchError?
  private var isRedirected = false
  /// When the last request was sent, in microseconds since the transfer began as libcurl counts them; 0 before the first one. libcurl sends
  /// it again where a connection that it had kept turns out to be closed.
  private var requestTime = 0
  private var wasRequestSent = false
  /// With TLS: the connection of the request. Only to be compared: it may have been freed since.
  private var tls: TLSConnection?
  /// Whether its HTTP/2 connection has ended. libcurl then reports the body as complete if another transfer noticed the end first.
  private var isCut = false
  /// Bytes of the body with its framing, as they came.
  private var wireBytes = 0
  /// Bytes of the body that `exchange.transfer` was told of.
  private var reported = 0
  private let connections: PlainConnections
  /// Without TLS: the connection of the request.
  private var plain: PlainConnection?
  private let trust: TrustStore?

  /// - Parameters:
  ///   - addresses: what the host resolved to; nil when it is an address itself.
  ///   - started: when the exchange began, its lookup included.
  ///   - trust: whom to trust; nil where no TLS is spoken.
  /// - Throws: `FetchError.resourcesExhausted`.
  init(
    _ exchange: Exchange, addresses: [IPAddress]?, started: ContinuousClock.Instant,
    settings: FetchSettings, trust: TrustStore?, allowance: HeaderAllowance, connections: PlainConnections
  ) throws(FetchError) {
    self.exchange = exchange
    self.settings = settings
    self.started = started
    self.trust = trust
    headers = HeaderCount(maximum: settings.maximumHeaderBytes, allowance: allowance)
    self.connections = connections
    hop = Hop(url: exchange.url.beginning, attempt: exchange.attempt)
    if addresses != nil { hop.timings.dns = started.duration(to: .now).microseconds }
    var easy = try EasyHandle()
    try easy.apply(settings, to: exchange.url, conditions: exchange.conditions)
    if let addresses { try easy.pin(exchange.url, to: addresses) }
    try easy.set(
      CURLOPT_TIMEOUT_MS, max(1, ContinuousClock.now.duration(to: exchange.cutoff).milliseconds))
    self.easy = easy
    try installCallbacks()
    exchange.journal.update { $0.phase = .queued }
  }

  private func installCallbacks() throws(FetchError) {
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    try unsafe easy.set(CURLOPT_PRIVATE, pointer: this)
    try unsafe easy.set(CURLOPT_HEADERDATA, pointer: this)
    try unsafe easy.set(CURLOPT_WRITEDATA, pointer: this)
    try unsafe easy.set(CURLOPT_XFERINFODATA, pointer: this)
    try unsafe easy.set(CURLOPT_OPENSOCKETDATA, pointer: this)
    try unsafe easy.set(CURLOPT_HEADERFUNCTION) { unsafe Transfer.of($3).headerLine($0, $1 * $2) }
    try unsafe easy.set(CURLOPT_WRITEFUNCTION) { unsafe Transfer.of($3).piece($0, $1 * $2) }
    try unsafe easy.setProgress { this, _, _, _, _ in unsafe Transfer.of(this).progress() }
    if let trust {
      // Held by this transfer, and so for longer than libcurl holds the handle.
      try unsafe easy.set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(trust).toOpaque())
      try unsafe easy.setTLSContext { _, context, trust in unsafe TrustStore.of(trust).use(in: context) }
    }
    try unsafe easy.set(CURLOPT_DEBUGDATA, pointer: this)
    try unsafe easy.setDebug { _, kind, bytes, count, this in
      unsafe Transfer.of(this).wire(kind, bytes, count)
      return 0
    }
    try unsafe easy.setOpenSocket { this, _, address in unsafe Transfer.of(this).openSocket(address) }
  }

  static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    // Set by installCallbacks, and the loop holds the transfer for as long as libcurl holds the handle.
    unsafe Unmanaged<Transfer>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }

  // MARK: - Callbacks

  /// The address rule stands here because every spelling, redirect and second lookup ends at this socket.
  private func openSocket(_ request: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
    guard let request = unsafe request else { return CURL_SOCKET_BAD }
    let address = unsafe withUnsafePointer(to: &request.pointee.addr) { unsafe IPAddress($0) }
    guard let address else {
      failure = .addressBlocked(address: "an unknown family", purpose: "neither IPv4 nor IPv6")
      return CURL_SOCKET_BAD
    }
    if let refused = settings.addresses.refusal(of: address) {
      failure = .addressBlocked(address: "\(address)", purpose: refused.purpose)
      return CURL_SOCKET_BAD
    }
    exchange.journal.update { $0.phase = .connecting }
    let type = unsafe request.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = unsafe socket(request.pointee.family, type, request.pointee.protocol)
    if descriptor < 0, [EMFILE, ENFILE].contains(errno) {
      failure = .openFilesExhausted
    } else if descriptor < 0, [ENOBUFS, ENOMEM].contains(errno) {
      failure = .resourcesExhausted(detail: unsafe String(cString: strerror(errno)))
    }
    if descriptor >= 0, trust == nil { connections.add(descriptor) }
    // Nothing has been sent on this one, and what was sent on another had no response.
    wasRequestSent = false
    tls = nil
    plain = nil
    return descriptor
  }

  private func headerLine(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    do throws(FetchError) {
      try headers.take(line: count)
      easy.tls?.use(count)
      // Trailers count, and mean nothing.
      if head.isComplete { return count }
      try unsafe withBytes(start, count) { (line) throws(FetchError) in try head.read(line) }
      if !head.isComplete { return count }
      exchange.transfer?.headArrived()
      if try admitBody() { return count }
      easy.tls?.giveUp(head.contentLength)
      return 0
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
    if let encoding = head.foreignEncoding(besides: exchange.consumer.contentCoding) {
      throw .encodingNotAllowed(encoding)
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

  private func piece(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
    if isRedirected { return 0 }
    hop.received += count
    easy.tls?.use(count)
    guard hop.received <= maximumBytes else {
      return stop(.bodyTooLarge(maximum: maximumBytes, announced: nil))
    }
    exchange.journal.update { $0.received = hop.received }
    reportBytes()
    let decision = unsafe withBytes(start, count) { exchange.consumer.receive($0) }
    return decision == .more ? count : stop(.stopped)
  }

  private func reportBytes() {
    let count = hop.received - reported
    guard let transfer = exchange.transfer, count >= HostTransfer.reportedBytes else { return }
    reported = hop.received
    transfer.received(count)
  }

  /// Ends the transfer when it was cancelled, or when far more has come in on the wire than was handed to us.
  private func progress() -> Int32 {
    if exchange.cancellation.isSet {
      stop(.cancelled)
      return 1
    }
    noteRequest()
    if let tls = easy.tls, tls.isHTTP2, tls.hasEnded { isCut = true }
    if !checkPlainHead() { return 1 }
    return checkFraming(wireBytes, around: headers.lineBytes + hop.received) ? 0 : 1
  }

  private func noteRequest() {
    guard !head.isComplete else { return }
    let time = easy.number(CURLINFO_PRETRANSFER_TIME_T)
    guard time > requestTime else { return }
    requestTime = time
    wasRequestSent = true
    tls = easy.tls
    if trust == nil {
      plain = connections.find(
        from: easy.long(CURLINFO_LOCAL_PORT), to: easy.long(CURLINFO_PRIMARY_PORT))
    }
    exchange.journal.update { $0.phase = .answering }
  }

  /// Sensible chunks, frames and records take far less than an eighth. The rest is chunk extensions, control frames, and the like.
  private func isSensible(_ count: Int, around seen: Int) -> Bool {
    count <= seen + seen / 8 + 4 * settings.maximumHeaderBytes
  }

  private func checkFraming(_ count: Int, around seen: Int) -> Bool {
    if isSensible(count, around: seen) { return true }
    stop(.responseInvalid(detail: "it wraps \(seen) bytes into \(count)"))
    return false
  }

  /// Called with all that comes in, before it is looked at.
  private func wire(_ kind: curl_infotype, _ start: UnsafeMutablePointer<CChar>?, _ count: Int) {
    if kind == CURLINFO_DATA_IN {
      wireBytes += count
    } else if kind == CURLINFO_SSL_DATA_IN, let tls = easy.tls {
      unsafe withBytes(start, count) { read($0, from: tls) }
    } else if kind == CURLINFO_TEXT, let refusal = unsafe withBytes(start, count, { FetchError.refusal($0) }),
      easy.number(CURLINFO_PRETRANSFER_TIME_T) > 0
    {
      // Said once, so the connection has to end: others on it would take this for the end of their bodies. libcurl says it of idle
      // connections, too, to a transfer that has sent nothing yet.
      stop(refusal)
      easy.tls?.end()
    }
  }

  /// Of a connection with TLS these are also the headers of its records, in which everything else is, and the messages of its handshake:
  /// what libcurl reads without a word to us is counted here, and ended here.
  private func read(_ bytes: Span<UInt8>, from tls: TLSConnection) {
    if let size = TLSConnection.recordSize(bytes) {
      tls.receive(size)
      // libcurl reads also from connections that it closes to make room, in the name of whoever it makes room for.
      let isOwn = self.tls.map { $0.isSame(as: tls) } ?? false
      let isBearable =
        isOwn
        ? checkFraming(tls.received, around: tls.useful) && checkHead(size, tls)
        : isSensible(tls.received, around: tls.useful)
      if !isBearable { tls.end() }
    } else if TLSConnection.isMessage(bytes) {
      tls.receiveMessage()
    }
  }

  /// libcurl keeps a header line to itself until it has all of it. Called before a record is read: those before it were no body.
  private func checkHead(_ size: Int, _ tls: TLSConnection) -> Bool {
    // In frames there is what belongs to others.
    guard wasRequestSent, !head.isComplete, !tls.isHTTP2 else { return true }
    return checkHeaders { (headers) throws(FetchError) in try headers.take(record: size) }
  }

  /// The same without TLS, called after reads. Next to no head comes in pieces: the others are not looked at.
  private func checkPlainHead() -> Bool {
    guard let plain, !head.isComplete, easy.number(CURLINFO_STARTTRANSFER_TIME_T) > 0 else { return true }
    return checkHeaders { (headers) throws(FetchError) in try headers.note(read: plain.bytesRead) }
  }

  private func checkHeaders(_ count: (inout HeaderCount) throws(FetchError) -> Void) -> Bool {
    do throws(FetchError) {
      try count(&headers)
      return true
    } catch {
      stop(error)
      return false
    }
  }

  @discardableResult
  private func stop(_ error: FetchError) -> Int {
    failure = failure ?? error
    easy.tls?.giveUp(missing)
    return 0
  }

  /// When it cannot be complete in time any more. No connection brings more than a byte in a nanosecond; what that rules out only a
  /// few milliseconds before the end is left to it.
  var lastChance: ContinuousClock.Instant {
    guard head.isComplete, !isRedirected, let missing else { return exchange.cutoff }
    return missing < 10_000_000 ? exchange.cutoff : exchange.end - .nanoseconds(missing)
  }

  /// Bytes of the body that have not come yet, where the server said how many there are.
  private var missing: Int? { head.contentLength.map { $0 - hop.received } }

  /// Its last chance has gone.
  func giveUp() {
    if let missing, lastChance < exchange.cutoff { stop(.tooSlow(missing: missing)) }
  }

  // MARK: - The end

  /// What became of it, once libcurl has said `code`.
  func ending(_ code: CURLcode) -> Exchange.Ending {
    noteRequest()
    plain?.complete()
    let result: Result<ResponseHead, FetchError>
    if isRedirected, failure == nil {
      result = .success(head)
    } else if case .httpStatus(let status, _) = failure {
      let pause = head.hasRetryAfter ? easy.number(CURLINFO_RETRY_AFTER) : nil
      result = .failure(.httpStatus(status, retryAfter: pause))
    } else if let failure {
      result = .failure(failure)
    } else if code == CURLE_OK, head.isComplete, isCut, head.contentLength == nil {
      result = .failure(.bodyTruncated(received: hop.received, announced: nil))
    } else if code == CURLE_OK, head.isComplete {
      result = .success(head)
    } else if code == CURLE_OK {
      // To libcurl a response may end in the middle of its headers.
      result = .failure(
        .connectFailed(detail: "the connection ended before the headers did", isTransient: true))
    } else {
      result = .failure(error(for: code))
    }
    hop.note(easy, since: started)
    if case .failure(let error) = result { hop.error = error }
    return Exchange.Ending(result: result, hop: hop, wasRequestSent: wasRequestSent)
  }

  private func error(for code: CURLcode) -> FetchError {
    // Whatever libcurl was doing: a reset in the TLS handshake is a reset, and no certificate to be checked.
    let isReset = [ECONNRESET, EPIPE, ECONNABORTED].contains(Int32(easy.long(CURLINFO_OS_ERRNO)))
    return FetchError(
      isReset && code == CURLE_SSL_CONNECT_ERROR ? CURLE_RECV_ERROR : code,
      detail: easy.errorDetail ?? (unsafe String(cString: curl_easy_strerror(code))),
      received: hop.received, head: head, host: exchange.url.host,
      maximumHeaderBytes: settings.maximumHeaderBytes)
  }
}
