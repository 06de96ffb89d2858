internal import CCurl
internal import Supporting

/// The inside of the transfer loop: everything here lives and dies on the loop's thread.
final class TransferEngine {
  /// Addresses of a host that are tried. A name server may send thousands; all are judged, and these are
  /// kept.
  private static let maximumAddresses = 8
  /// Sockets that are dealt with before what has ended is handed over. With fewer, whoever it goes to is woken
  /// more often; with all of them he sleeps until the last one is done: 5 % more time for an image.
  private static let socketsAtOnce = 8
  /// Idle connections that are kept while transfers wait for memory: for redirects to the same host.
  private static let idleWhileHeld = 8

  private let inbox: Inbox
  private let settings: FetchSettings
  private let authorities: CertificateAuthorities
  /// Loaded with the first connection over TLS.
  private var trust: TrustStore?
  private let hosts: HostGate?
  private let sockets: SocketWatch
  private let connectionSockets: ConnectionSockets
  private let resolver: Resolver
  private let multis: CurlMultis
  private let allowance = HeaderAllowance()
  private let headers: RequestHeaders
  private var roots = LastFew<ParsedRoot>()
  private let turn: LoopTurn
  private var lookups: [Exchange.ID: Exchange] = [:]
  private var held: HeldExchanges
  private var transfers: [Exchange.ID: Transfer] = [:]
  /// Before this, no lookup and no transfer is to be ended; nil while there is none.
  private var firstEnd: ContinuousClock.Instant?

  /// - Throws: `FetchError.resourcesExhausted`.
  init(
    inbox: Inbox, settings: FetchSettings, authorities: CertificateAuthorities, hosts: HostGate?
  ) throws(FetchError) {
    self.inbox = inbox
    self.settings = settings
    self.authorities = authorities
    self.hosts = hosts
    headers = try RequestHeaders()
    held = HeldExchanges(hasRoom: settings.hasRoom)
    turn = LoopTurn(buffer: settings.receiveBufferBytes)
    sockets = try SocketWatch()
    resolver = Resolver(nameServers: settings.nameServers, sockets: sockets)
    connectionSockets = ConnectionSockets(sockets)
    multis = try CurlMultis(
      sockets: connectionSockets, connections: settings.concurrency, lifetime: settings.handleLifetime)
    guard sockets.watch(inbox.descriptor, reads: true, writes: false) else {
      throw .resourcesExhausted(detail: "no memory to wait for sockets")
    }
  }

  /// Runs until the inbox is closed.
  func run() {
    while true {
      let (messages, isClosed) = inbox.take()
      for message in messages { handle(message) }
      if isClosed { break }
      resumePaused()
      let now = ContinuousClock.now
      multis.act(at: now)
      resolver.act(at: now)
      collectEnded()
      for id in turn.takeBroken() {
        if let transfer = transfers[id] { finish(transfer, CURLE_HTTP2) }
      }
      for id in turn.takeNews() { transfers[id]?.report() }
      endLate(at: now)
      beginHeld()
      let heldTransfers = held.exchanges.compactMap { $0.transfer?.id }
      hosts?.tick(hasNewNames: resolver.hasNewNames, held: heldTransfers) {
        transfers.values.compactMap { transfer in
          transfer.exchange.transfer.map { ($0.id, transfer.received) }
        }
      }
      wait()
    }
    for exchange in exchanges { cancel(exchange.id) }
  }

  private func handle(_ message: Inbox.Message) {
    switch message {
    case .start(let exchange): start(exchange)
    case .cancel(let id): cancel(id)
    }
  }

  private func start(_ exchange: Exchange) {
    guard !exchange.cancellation.isSet else { return exchange.fail(.cancelled) }
    let started = ContinuousClock.now
    firstEnd = min(firstEnd ?? exchange.cutoff, exchange.cutoff)
    if let address = exchange.url.root.literalAddress {
      return begin(exchange, at: [address], pinned: false, started: started)
    }
    exchange.journal.update { $0.phase = .resolving }
    lookups[exchange.id] = exchange
    resolver.lookUp(exchange.url.host, for: exchange.id) { [weak self] answer in
      guard let self, let exchange = lookups.removeValue(forKey: exchange.id) else { return }
      switch answer {
      case .success(let addresses): begin(exchange, at: addresses, pinned: true, started: started)
      case .failure(let error): exchange.fail(error, since: started)
      }
    }
  }

  private func begin(
    _ exchange: Exchange, at addresses: [IPAddress], pinned: Bool, started: ContinuousClock.Instant
  ) {
    // One bad address among good ones is somebody trying his luck: the whole host is refused.
    do throws(FetchError) {
      for address in addresses { try settings.addresses.check(address) }
    } catch {
      return exchange.fail(error)
    }
    exchange.journal.update { $0.phase = .queued }
    held.append(
      ResolvedExchange(
        exchange: exchange, addresses: pinned ? Array(addresses.prefix(Self.maximumAddresses)) : nil,
        started: started))
    beginHeld()
  }

  /// Begins those that wait for memory, as far as there is some now. While others still wait, few idle
  /// connections are kept: they only save time.
  private func beginHeld() {
    while let next = held.next(beside: transfers.count, handshakes: handshakes) { begin(next) }
    multis.maximumOpen =
      held.isEmpty ? settings.concurrency : min(transfers.count + Self.idleWhileHeld, settings.concurrency)
  }

  private var handshakes: Int {
    if trust == nil { return 0 }
    let now = ContinuousClock.now
    return transfers.values.count { $0.isInHandshake(at: now) }
  }

  private func begin(_ resolved: ResolvedExchange) {
    let exchange = resolved.exchange
    do throws(FetchError) {
      let ownTrust = exchange.url.scheme == .https ? try trustStore() : nil
      // There has been TLS if `trust` is there.
      let transfer = try Transfer(
        resolved, to: try parsedRoot(of: exchange.url), settings: settings, trust: ownTrust,
        mayMeetTLS: trust != nil, allowance: allowance, sockets: connectionSockets, headers: headers,
        turn: turn)
      guard multis.add(transfer.easy) else {
        throw .resourcesExhausted(detail: "libcurl takes no more")
      }
      transfers[exchange.id] = transfer
    } catch {
      exchange.fail(error)
    }
  }

  private func parsedRoot(of url: RemoteURL) throws(FetchError) -> ParsedRoot {
    let text = url.root.text
    if let known = roots.recall({ $0.text == text }) { return known }
    let root = try ParsedRoot(text)
    roots.append(root)
    return root
  }

  private func trustStore() throws(FetchError) -> TrustStore {
    if let trust { return trust }
    let loaded = try TrustStore(authorities)
    // A transfer that waits for a connection may get it in the place of one over TLS that has overtaken it.
    for transfer in transfers.values { try transfer.listen() }
    trust = loaded
    return loaded
  }

  private func cancel(_ id: Exchange.ID) {
    if let exchange = lookups.removeValue(forKey: id) {
      resolver.abandon(id)
      exchange.fail(.cancelled)
    } else if let resolved = held.remove(id) {
      resolved.exchange.fail(.cancelled, since: resolved.started)
    } else if let transfer = transfers[id] {
      transfer.easy.tls?.giveUp(nil)
      finish(transfer, CURLE_ABORTED_BY_CALLBACK)
    }
  }

  /// Those that had their share of the last turn go on.
  private func resumePaused() {
    // What has ended meanwhile says better itself what of.
    collectEnded()
    for id in turn.next() {
      guard let transfer = transfers[id] else { continue }
      let code = transfer.resume()
      if code != CURLE_OK { finish(transfer, code) }
    }
  }

  /// Ends what is of no use any more. libcurl's own timeout sees neither lookups nor transfers that wait for
  /// a connection.
  private func endLate(at now: ContinuousClock.Instant) {
    guard let firstEnd, firstEnd <= now else { return }
    for exchange in Array(lookups.values) where exchange.cutoff <= now { cancel(exchange.id) }
    for transfer in Array(transfers.values) where transfer.exchange.cutoff <= now {
      cancel(transfer.exchange.id)
    }
    self.firstEnd = exchanges.lazy.map(\.cutoff).min()
  }

  private var exchanges: [Exchange] {
    Array(lookups.values) + held.exchanges + transfers.values.map(\.exchange)
  }

  private func collectEnded() {
    while let (owner, code) = unsafe multis.nextEnded() { finish(unsafe Transfer.of(owner), code) }
  }

  private func finish(_ transfer: Transfer, _ code: CURLcode) {
    transfers[transfer.exchange.id] = nil
    let ending = transfer.ending(code)
    multis.remove(transfer.easy)
    transfer.exchange.finish(ending)
  }

  /// Sleeps until a socket, a timer or the inbox has something to do, and does what sockets ask for.
  private func wait() {
    let now = ContinuousClock.now
    let tick = hosts?.needsTicks == true ? now + .milliseconds(250) : nil
    let events = [multis.due, resolver.due, held.due, firstEnd, tick]
    let due = events.lazy.compactMap(\.self).min() ?? now + .seconds(10)
    let time = turn.hasPaused ? 0 : max(0, now.duration(to: due).microseconds + 999) / 1000
    for (number, event) in sockets.wait(Int32(clamping: time)).enumerated() {
      if number % Self.socketsAtOnce == 0 { collectEnded() }
      if event.descriptor == inbox.descriptor || resolver.act(on: event) { continue }
      multis.act(on: event)
    }
  }
}
