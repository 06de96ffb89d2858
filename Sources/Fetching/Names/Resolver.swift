internal import Supporting

/// Resolves names with c-ares on the transfer loop's thread. A silent name server hardly delays
/// other lookups.
final class Resolver {
  private let nameServers: String?
  private let sockets: SocketWatch
  private var cache = NameCache()
  private var queue = LookupQueue()
  private var lookups: [String: Lookup] = [:]
  /// When to call `act(at:)` even without a socket event; nil while nothing is due.
  private(set) var due: ContinuousClock.Instant?
  /// Called once for each exchange that has not been abandoned, possibly before `lookUp` returns.
  var onAnswer: (Exchange, Result<[IPAddress], FetchError>) -> Void = { _, _ in }

  /// - Parameter nameServers: used instead of the system's: `ADDRESS[:PORT]`, separated by commas.
  init(nameServers: String?, sockets: SocketWatch) {
    self.nameServers = nameServers
    self.sockets = sockets
  }

  func lookUp(_ exchange: Exchange) {
    let host = Self.fullName(exchange.url.host)
    if let known = cache.addresses(of: host, at: .now) { return onAnswer(exchange, .success(known)) }
    if let lookup = lookups[host] { return lookup.exchanges.append(exchange) }
    let lookup = Lookup(host: host)
    lookup.exchanges.append(exchange)
    lookups[host] = lookup
    queue.add(lookup)
    advance()
  }

  /// Removes exchange `id` from its lookup. Ends the lookup if no other exchange waits for it.
  func abandon(_ id: Exchange.ID) -> Exchange? {
    for lookup in lookups.values {
      guard let index = lookup.exchanges.firstIndex(where: { $0.id == id }) else { continue }
      let exchange = lookup.exchanges.remove(at: index)
      if lookup.exchanges.isEmpty {
        remove(lookup)
        advance()
      }
      return exchange
    }
    return nil
  }

  /// Notes the address of `exchange`'s host that has accepted a connection after others had not.
  func prefer(_ address: IPAddress, of exchange: Exchange) {
    cache.prefer(address, of: Self.fullName(exchange.url.host))
  }

  var exchanges: [Exchange] { lookups.values.flatMap(\.exchanges) }
  var hasNewNames: Bool { queue.hasNewNames }

  func act(at now: ContinuousClock.Instant) {
    guard let due, due <= now else { return }
    for lookup in queue.active { lookup.query?.act(on: nil) }
    advance()
  }

  /// Returns false if the socket of `event` does not belong to a lookup.
  func act(on event: SocketWatch.Event) -> Bool {
    let query = queue.active.lazy.compactMap(\.query).first { $0.owns(event.descriptor) }
    guard let query else { return false }
    query.act(on: event)
    advance()
    return true
  }

  private func advance() {
    var hasChanged = true
    while hasChanged {
      let now = ContinuousClock.now
      hasChanged = false
      for lookup in queue.active {
        guard let outcome = lookup.query?.outcome(at: now) else { continue }
        finish(lookup, outcome, at: now)
        hasChanged = true
      }
      while let lookup = queue.next(at: now) {
        hasChanged = true
        do throws(FetchError) {
          lookup.query = try NameQuery(lookup.host, nameServers: nameServers, sockets: sockets)
        } catch {
          finish(lookup, .failure(error), at: now)
        }
      }
    }
    due = (queue.active.map { $0.query?.due } + [queue.firstEnd]).lazy.compactMap(\.self).min()
  }

  private func finish(
    _ lookup: Lookup, _ outcome: Result<HostAddresses, FetchError>, at now: ContinuousClock.Instant
  ) {
    if case .success(let answer) = outcome {
      cache.keep(answer, of: lookup.host, at: now)
      queue.answered(after: now - lookup.attemptStart)
    }
    remove(lookup)
    for exchange in lookup.exchanges { onAnswer(exchange, outcome.map(\.addresses)) }
  }

  private func remove(_ lookup: Lookup) {
    lookups[lookup.host] = nil
    queue.remove(lookup)
    lookup.query = nil
  }

  /// The same for all spellings of a name: in lower case, without a trailing dot.
  static func fullName(_ host: String) -> String {
    let lower = host.lowercased()
    return lower.hasSuffix(".") && lower.utf8.count > 1 ? String(lower.dropLast()) : lower
  }
}
