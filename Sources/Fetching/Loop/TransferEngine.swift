internal import CCurl
internal import Glibc

/// The inside of the transfer loop: everything here lives and dies on the loop's thread.
@safe final class TransferEngine {
  /// Addresses of a host that are tried. A name server may send thousands; all are judged, and these are kept.
  private static let maximumAddresses = 8

  private let inbox: Inbox
  private let settings: FetchSettings
  private let authorities: CertificateAuthorities
  /// Loaded with the first connection over TLS.
  private var trust: TrustStore?
  private let hosts: HostTurns?
  private let resolver: Resolver
  private let multi: UnsafeMutableRawPointer
  private let allowance = HeaderAllowance()
  private let plainConnections = PlainConnections()
  private var lookups: [Exchange.ID: Exchange] = [:]
  private var transfers: [Exchange.ID: Transfer] = [:]

  /// - Throws: `FetchError.resourcesExhausted`.
  init(
    inbox: Inbox, settings: FetchSettings, authorities: CertificateAuthorities, hosts: HostTurns?
  ) throws(FetchError) {
    guard let multi = unsafe curl_multi_init() else {
      throw .resourcesExhausted(detail: "libcurl did not start")
    }
    unsafe self.multi = multi
    self.inbox = inbox
    self.settings = settings
    self.authorities = authorities
    self.hosts = hosts
    resolver = Resolver(nameServers: settings.nameServers)
    let connections = settings.concurrency
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections)
    // Kept connections count: an idle one over TLS holds 50 KB and more. The oldest goes when another is needed.
    _ = unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
  }

  deinit { unsafe curl_multi_cleanup(multi) }

  /// Runs until the inbox is closed.
  func run() {
    while true {
      let (messages, isClosed) = inbox.take()
      for message in messages { handle(message) }
      if isClosed { break }
      var running: Int32 = 0
      _ = unsafe curl_multi_perform(multi, &running)
      collectFinished()
      endLate()
      hosts?.look()
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
    if let address = exchange.url.literalAddress {
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
    for address in addresses {
      guard let refused = settings.addresses.refusal(of: address) else { continue }
      return exchange.fail(.addressBlocked(address: "\(address)", purpose: refused.purpose))
    }
    do throws(FetchError) {
      let transfer = try Transfer(
        exchange, addresses: pinned ? Array(addresses.prefix(Self.maximumAddresses)) : nil, started: started,
        settings: settings, trust: exchange.url.scheme == .https ? try trustStore() : nil,
        allowance: allowance, connections: plainConnections)
      guard unsafe transfer.easy.add(to: multi) else {
        throw .resourcesExhausted(detail: "libcurl takes no more")
      }
      transfers[exchange.id] = transfer
    } catch {
      exchange.fail(error)
    }
  }

  private func trustStore() throws(FetchError) -> TrustStore {
    if let trust { return trust }
    let loaded = try TrustStore(authorities)
    trust = loaded
    return loaded
  }

  private func cancel(_ id: Exchange.ID) {
    if let exchange = lookups.removeValue(forKey: id) {
      resolver.abandon(id)
      exchange.fail(.cancelled)
    } else if let transfer = transfers[id] {
      transfer.easy.tls?.giveUp(nil)
      finish(transfer, CURLE_ABORTED_BY_CALLBACK)
    }
  }

  /// Ends what is of no use any more. libcurl's own timeout sees neither lookups nor transfers that wait for a connection.
  private func endLate() {
    let now = ContinuousClock.now
    guard let soonestEnd, soonestEnd <= now else { return }
    for exchange in Array(lookups.values) where exchange.cutoff <= now { cancel(exchange.id) }
    for transfer in Array(transfers.values) where transfer.lastChance <= now {
      transfer.giveUp()
      cancel(transfer.exchange.id)
    }
  }

  private var soonestEnd: ContinuousClock.Instant? {
    let lookup = lookups.values.lazy.map(\.cutoff).min()
    let transfer = transfers.values.lazy.map(\.lastChance).min()
    guard let lookup, let transfer else { return lookup ?? transfer }
    return min(lookup, transfer)
  }

  private var exchanges: [Exchange] { Array(lookups.values) + transfers.values.map(\.exchange) }

  private func collectFinished() {
    var left: Int32 = 0
    while let message = unsafe curl_multi_info_read(multi, &left) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      let code = unsafe curl_message_result(message)
      finish(unsafe Transfer.of(EasyHandle.owner(of: message.pointee.easy_handle)), code)
    }
  }

  private func finish(_ transfer: Transfer, _ code: CURLcode) {
    transfers[transfer.exchange.id] = nil
    let ending = transfer.ending(code)
    unsafe transfer.easy.remove(from: multi)
    transfer.exchange.finish(ending)
  }

  /// Sleeps until a socket, a timer or the inbox has something to do.
  private func wait() {
    let lookups = resolver.sockets
    var watched = [curl_waitfd(fd: inbox.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)]
    for socket in lookups {
      let events = (socket.reads ? CURL_WAIT_POLLIN : 0) | (socket.writes ? CURL_WAIT_POLLOUT : 0)
      watched.append(curl_waitfd(fd: socket.descriptor, events: Int16(events), revents: 0))
    }
    let end = soonestEnd ?? .now + .seconds(10)
    let patience = min(
      hosts?.isWaited == true ? 250 : 10_000,
      Int32(clamping: max(0, ContinuousClock.now.duration(to: end).milliseconds + 1)))
    let timeout = resolver.timeout(maximum: patience)
    var ready: Int32 = 0
    _ = unsafe curl_multi_poll(multi, &watched, UInt32(watched.count), timeout, &ready)
    resolver.process(zip(lookups, watched.dropFirst()).filter { $0.1.revents != 0 }.map(\.0))
  }
}
