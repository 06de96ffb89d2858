/// Host names become addresses through c-ares, on the transfer loop's thread: no lookup ever holds a thread, so that a name
/// server that does not answer delays nobody but who asked for it.
final class Resolver {
  typealias Completion = (Result<[IPAddress], FetchError>) -> Void

  private let nameServers: String?
  private let sockets: SocketWatch
  private var cache = NameCache()
  private var turns = LookupTurns()
  private var lookups: [String: Lookup] = [:]
  /// What each of those waits for who wait.
  private var hosts: [Exchange.ID: String] = [:]
  /// When something is to be done without a socket's asking; nil while there is nothing.
  private(set) var due: ContinuousClock.Instant?

  /// - Parameters:
  ///   - nameServers: asked instead of the system's, `ADDRESS[:PORT]` separated by commas. If it is no such list, all lookups fail of that.
  ///   - sockets: where those that name servers answer to are waited for.
  init(nameServers: String?, sockets: SocketWatch) {
    self.nameServers = nameServers
    self.sockets = sockets
  }

  /// Calls `completion` once, perhaps before this returns, with at least one address or `FetchError.dnsFailed`, unless it is
  /// abandoned before.
  func lookUp(_ host: String, for id: Exchange.ID, completion: @escaping Completion) {
    let host = Self.fullName(host)
    if let known = cache.addresses(of: host, at: .now) { return completion(.success(known)) }
    hosts[id] = host
    if let lookup = lookups[host] {
      lookup.waiting.append((id, completion))
      return
    }
    let lookup = Lookup(host: host)
    lookup.waiting.append((id, completion))
    lookups[host] = lookup
    turns.add(lookup)
    advance()
  }

  /// `id` does not wait any more. When nobody does, nothing of the lookup is left.
  func abandon(_ id: Exchange.ID) {
    guard let host = hosts.removeValue(forKey: id), let lookup = lookups[host] else { return }
    lookup.waiting.removeAll { $0.id == id }
    if lookup.waiting.isEmpty {
      remove(lookup)
      advance()
    }
  }

  /// Does what is to be done by now.
  func act(at now: ContinuousClock.Instant) {
    guard let due, due <= now else { return }
    for lookup in turns.current { lookup.query?.act(on: nil) }
    advance()
  }

  /// Does what a socket asks for.
  /// - Returns: false where it is none of its own.
  func act(on event: SocketWatch.Event) -> Bool {
    let query = turns.current.lazy.compactMap(\.query).first { $0.owns(event.descriptor) }
    guard let query else { return false }
    query.act(on: event)
    advance()
    return true
  }

  /// Hands out what is known, and begins what can be, until there is neither.
  private func advance() {
    var hasChanged = true
    while hasChanged {
      let now = ContinuousClock.now
      hasChanged = false
      for lookup in turns.current {
        guard let outcome = lookup.query?.outcome(at: now) else { continue }
        finish(lookup, outcome, at: now)
        hasChanged = true
      }
      while let lookup = turns.next(at: now) {
        hasChanged = true
        do throws(FetchError) {
          lookup.query = try NameQuery(lookup.host, nameServers: nameServers, sockets: sockets)
        } catch {
          finish(lookup, .failure(error), at: now)
        }
      }
    }
    let ends = turns.current.lazy.compactMap { $0.query?.due }
    due = [ends.min(), turns.end].lazy.compactMap(\.self).min()
  }

  private func finish(
    _ lookup: Lookup, _ outcome: Result<HostAddresses, FetchError>, at now: ContinuousClock.Instant
  ) {
    if case .success(let answer) = outcome {
      cache.keep(answer, of: lookup.host, at: now)
      turns.noteAnswer(after: lookup.time(at: now))
    }
    remove(lookup)
    for (id, completion) in lookup.waiting {
      hosts[id] = nil
      completion(outcome.map(\.addresses))
    }
  }

  private func remove(_ lookup: Lookup) {
    lookups[lookup.host] = nil
    turns.remove(lookup)
    lookup.query = nil
  }

  /// The same for all spellings that name servers do not tell apart.
  static func fullName(_ host: String) -> String {
    let lower = host.lowercased()
    return lower.hasSuffix(".") && lower.utf8.count > 1 ? String(lower.dropLast()) : lower
  }
}
