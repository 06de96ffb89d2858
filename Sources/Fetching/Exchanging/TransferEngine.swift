internal import CCurl
internal import Supporting

/// The transfer loop, on its thread. Exchanges are looked up, then held, then become transfers.
final class TransferEngine {
  private let inbox: Inbox
  private let authorities: CertificateAuthorities
  private let hosts: Admission?
  private let sockets: SocketWatch
  private let resolver: Resolver
  private let multis: CurlMultis
  private let context: TransferContext
  private var held: HeldExchanges
  private var transfers: [Exchange.ID: Transfer] = [:]
  /// Whether hosts or payloads are waiting for the next tick.
  private var needsTicks = false
  private var firstEnd: ContinuousClock.Instant?

  init(
    inbox: Inbox, settings: FetchSettings, authorities: CertificateAuthorities, hosts: Admission?
  ) throws(FetchError) {
    self.inbox = inbox
    self.authorities = authorities
    self.hosts = hosts
    held = HeldExchanges(hasRoom: settings.hasRoom)
    do throws(NoDescriptor) { sockets = try SocketWatch() } catch { throw .noDescriptor }
    resolver = Resolver(nameServers: settings.nameServers, sockets: sockets)
    let connections = Connections(sockets)
    context = try TransferContext(settings, connections)
    multis = try CurlMultis(connections, maximum: settings.concurrency, lifetime: settings.handleLifetime)
    guard sockets.watch(inbox.descriptor, reads: true, writes: false) else {
      throw .resourcesExhausted(detail: "no memory to wait for sockets")
    }
    resolver.onAnswer = { [unowned self] exchange, answer in
      switch answer {
      case .success(let addresses): begin(exchange, at: addresses, pinned: true)
      case .failure(let error): exchange.fail(error, tookTime: true)
      }
    }
  }

  func run() {
    while true {
      let (messages, isClosed) = inbox.take()
      for message in messages {
        switch message {
        case .start(let exchange): start(exchange)
        case .cancel(let id): cancel(id)
        }
      }
      if isClosed { break }
      resumePaused()
      let now = ContinuousClock.now
      multis.act(at: now)
      resolver.act(at: now)
      collectEnded()
      reportTurn()
      endLate(at: now)
      beginHeld()
      tickHosts()
      wait()
    }
    for exchange in exchanges { cancel(exchange.id) }
  }

  private func start(_ exchange: Exchange) {
    guard !exchange.cancellation.isSet else { return exchange.fail(.cancelled) }
    firstEnd = min(firstEnd ?? exchange.cutoff, exchange.cutoff)
    if let address = exchange.url.root.literalAddress { return begin(exchange, at: [address], pinned: false) }
    exchange.journal.update { $0.phase = .resolving }
    resolver.lookUp(exchange)
  }

  private func begin(_ exchange: Exchange, at addresses: [IPAddress], pinned: Bool) {
    // A bad address among good ones is probably an attack, so the whole host is refused.
    do throws(FetchError) {
      for address in addresses { try context.settings.addresses.check(address) }
    } catch {
      return exchange.fail(error)
    }
    exchange.journal.update { $0.phase = .queued }
    // A name server may send many addresses, and often one family of them cannot be reached from here.
    func first(_ family: IPAddress.Family) -> ArraySlice<IPAddress> {
      addresses.filter { $0.family == family }.prefix(8)
    }
    let pins = pinned ? Array(first(.v4) + first(.v6)) : nil
    held.append(ResolvedExchange(exchange: exchange, addresses: pins))
    beginHeld()
  }

  private var handshakes: Int {
    let now = ContinuousClock.now
    return transfers.values.count { $0.isInHandshake(at: now) }
  }

  /// Begins held exchanges while there is memory. While others still wait, only a few idle
  /// connections are kept, for redirects, because idle connections only save time.
  private func beginHeld() {
    while let next = held.next(beside: transfers.count, handshakes: handshakes) {
      do throws(FetchError) {
        try begin(next)
      } catch {
        next.exchange.fail(error)
      }
    }
    let all = context.settings.concurrency
    multis.limitOpen(to: held.isEmpty ? all : min(transfers.count + 8, all))
  }

  private func begin(_ resolved: ResolvedExchange) throws(FetchError) {
    if resolved.exchange.url.scheme == .https, context.trust == nil {
      let trust = try TrustStore(authorities)
      // An earlier transfer that waits for a connection may replace one over TLS. While libcurl
      // closes the old connection, it reports what it reads to that transfer.
      for transfer in transfers.values { try transfer.listen() }
      context.trust = trust
    }
    let transfer = try Transfer(resolved, in: context)
    guard multis.add(transfer.easy) else { throw .resourcesExhausted(detail: "libcurl takes no more") }
    transfers[resolved.exchange.id] = transfer
  }

  private func resumePaused() {
    // A transfer that has already ended has a more accurate result than resuming it would give.
    collectEnded()
    for id in context.turn.next() {
      guard let transfer = transfers[id] else { continue }
      let code = transfer.resume()
      if code != CURLE_OK { finish(transfer, code) }
    }
  }

  /// Called after ended transfers are gone. Most end in the turn in which their response arrives.
  private func reportTurn() {
    let (broken, news) = (context.broken, context.news)
    (context.broken, context.news) = ([], [])
    for id in broken {
      if let transfer = transfers[id] { finish(transfer, CURLE_HTTP2) }
    }
    for id in news { transfers[id]?.reportHead() }
  }

  private func tickHosts() {
    guard let hosts else { return }
    needsTicks = hosts.tick(
      hasNewNames: resolver.hasNewNames, held: held.exchanges.compactMap { $0.gated?.id }
    ) {
      transfers.values.compactMap { one in one.exchange.gated.map { ($0.id, one.hop.received) } }
    }
  }

  private func wait() {
    let now = ContinuousClock.now
    let tick = needsTicks ? now + .milliseconds(250) : nil
    let events = [multis.due, resolver.due, held.due, firstEnd, tick]
    let due = events.lazy.compactMap(\.self).min() ?? now + .seconds(10)
    let time = context.turn.paused.isEmpty ? max(0, now.duration(to: due).microseconds + 999) / 1000 : 0
    for (number, event) in sockets.wait(Int32(clamping: time)).enumerated() {
      // Collecting ended transfers only after all sockets would cost an image 5 % more time.
      if number % 8 == 0 { collectEnded() }
      if event.descriptor == inbox.descriptor || resolver.act(on: event) { continue }
      multis.act(on: event)
    }
  }

  private func cancel(_ id: Exchange.ID) {
    if let exchange = resolver.abandon(id) {
      exchange.fail(.cancelled)
    } else if let exchange = held.remove(id) {
      exchange.fail(.cancelled, tookTime: true)
    } else if let transfer = transfers[id] {
      transfer.easy.tls?.giveUp(nil)
      finish(transfer, CURLE_ABORTED_BY_CALLBACK)
    }
  }

  /// libcurl's own timeout covers neither lookups nor transfers that wait for a connection.
  private func endLate(at now: ContinuousClock.Instant) {
    guard let firstEnd, firstEnd <= now else { return }
    for exchange in exchanges where exchange.cutoff <= now { cancel(exchange.id) }
    self.firstEnd = exchanges.lazy.map(\.cutoff).min()
  }

  private var exchanges: [Exchange] { resolver.exchanges + held.exchanges + transfers.values.map(\.exchange) }

  private func collectEnded() {
    while let (owner, code) = unsafe multis.nextEnded() { finish(unsafe Transfer.of(owner), code) }
  }

  private func finish(_ transfer: Transfer, _ code: CURLcode) {
    transfers[transfer.exchange.id] = nil
    let ending = transfer.ending(code)
    if let new = context.trust?.renewed(after: code) { context.trust = new }
    // libcurl waits for a dead address for half of the time that is left. The next transfers need not.
    if transfer.openings > 1, let address = transfer.easy.ends?.address {
      resolver.prefer(address, of: transfer.exchange)
    }
    multis.remove(transfer.easy)
    transfer.exchange.finish(ending)
  }
}
