internal import Supporting

struct ResolvedExchange {
  let exchange: Exchange
  let addresses: [IPAddress]?
  let resolved = ContinuousClock.now

  /// When the transfer may begin even if memory is short: others may hold theirs to their deadline.
  var latestBegin: ContinuousClock.Instant { resolved + resolved.duration(to: exchange.end) / 8 }
}

/// Exchanges whose transfers wait for memory, first come, first served. Redirects and retries go
/// first, because the memory that they used is free again. Transfers take the most memory during
/// handshakes. If memory is short, a request waits for up to an eighth of its remaining time, or
/// longer while there is no memory for a single transfer.
struct HeldExchanges {
  /// The pause between two attempts to begin a transfer that can wait no longer. Without it,
  /// exchanges that arrived together would begin together.
  private static let pause = Duration.milliseconds(20)

  private let hasRoom: FetchSettings.HasRoom
  private var held: [ResolvedExchange] = []
  private var lastAttempt: ContinuousClock.Instant?

  init(hasRoom: @escaping FetchSettings.HasRoom) { self.hasRoom = hasRoom }

  /// When to call `next` again; nil while no exchange waits.
  var due: ContinuousClock.Instant? { held.isEmpty ? nil : .now + Self.pause }
  var isEmpty: Bool { held.isEmpty }
  var exchanges: [Exchange] { held.map(\.exchange) }

  mutating func append(_ resolved: ResolvedExchange) {
    let isNew = held.isEmpty || resolved.exchange.journal.snapshot.hops.isEmpty
    held.insert(resolved, at: isNew ? held.count : 0)
  }

  mutating func remove(_ id: Exchange.ID) -> Exchange? {
    held.firstIndex { $0.exchange.id == id }.map { held.remove(at: $0).exchange }
  }

  /// Takes the first exchange or, if memory is short, one that can wait no longer.
  mutating func next(
    beside count: Int, handshakes: @autoclosure () -> Int,
    at now: @autoclosure () -> ContinuousClock.Instant = .now
  ) -> ResolvedExchange? {
    if held.isEmpty { return nil }
    if count < FetchSettings.leastTransfers || hasRoom(handshakes(), false) { return held.removeFirst() }
    let now = now()
    if let lastAttempt, now < lastAttempt + Self.pause { return nil }
    guard let index = held.firstIndex(where: { $0.latestBegin <= now }) else { return nil }
    // Pause even if there is no room, because asking takes as long as reading a payload.
    lastAttempt = now
    guard hasRoom(handshakes(), true) else { return nil }
    return held.remove(at: index)
  }
}
