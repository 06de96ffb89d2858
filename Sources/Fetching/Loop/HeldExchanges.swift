/// Exchanges whose transfers wait for room in memory, first come, first served; but redirects and further tries
/// come before all, because the memory of what is done is free again.
///
/// What all transfers together take swings, and is highest where many are in the middle of their handshakes.
/// While it is short, each request takes up to an eighth of the time longer that it has left.
struct HeldExchanges {
  /// Between two that begin because they cannot wait. All that came together would begin together otherwise.
  private static let pause = Duration.milliseconds(20)

  private let hasRoom: @Sendable (_ handshakes: Int) -> Bool
  private var held: [ResolvedExchange] = []
  private var lastOverdue: ContinuousClock.Instant?

  init(hasRoom: @escaping @Sendable (_ handshakes: Int) -> Bool) { self.hasRoom = hasRoom }

  /// When there is to be asked for the next one again; nil while none waits.
  var due: ContinuousClock.Instant? { held.isEmpty ? nil : .now + Self.pause }

  var isEmpty: Bool { held.isEmpty }

  var exchanges: [Exchange] { held.map(\.exchange) }

  mutating func append(_ resolved: ResolvedExchange) {
    let isNew = held.isEmpty || resolved.exchange.journal.snapshot.hops.isEmpty
    held.insert(resolved, at: isNew ? held.count : 0)
  }

  /// Takes one out that is of no use any more.
  mutating func remove(_ id: Exchange.ID) -> ResolvedExchange? {
    held.firstIndex { $0.exchange.id == id }.map { held.remove(at: $0) }
  }

  /// Takes out one whose transfer may begin: the first one, or where memory is short one that cannot wait.
  /// - Parameters:
  ///   - count: transfers under way.
  ///   - handshakes: those of them that are in their handshakes.
  mutating func next(
    beside count: Int, handshakes: @autoclosure () -> Int,
    at now: @autoclosure () -> ContinuousClock.Instant = .now
  ) -> ResolvedExchange? {
    if held.isEmpty { return nil }
    if count < FetchSettings.leastTransfers || hasRoom(handshakes()) { return held.removeFirst() }
    let now = now()
    if let lastOverdue, now < lastOverdue + Self.pause { return nil }
    guard let index = held.firstIndex(where: { $0.latestBegin <= now }) else { return nil }
    lastOverdue = now
    return held.remove(at: index)
  }
}
