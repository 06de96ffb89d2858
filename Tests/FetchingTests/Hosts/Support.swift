import TestSupport

@testable import Fetching

/// A moment of a test's own time, in seconds.
func at(_ seconds: Double) -> ContinuousClock.Instant { origin + .seconds(seconds) }

private let origin = ContinuousClock.now

extension HostLimits {
  /// 16 transfers at once, of which a host that has not answered may have 2, and all of those together 8. Pauses are exact.
  static let small: HostLimits = {
    var limits = HostLimits()
    limits.transfers = 16
    limits.jitter = 0
    limits.waitingBytes = 1_000
    return limits
  }()
}

extension Origin {
  static func host(_ name: String) throws -> Origin { Origin(try RemoteURL("https://\(name).example/")) }
}

/// A book of hosts and who has asked it for something: in the order of their numbers, each with the transfers that he began.
struct Visitors {
  var book: HostBook
  /// What everybody was granted so far.
  private(set) var grants: [HostTurn.ID: HostGrant] = [:]
  private(set) var givenUp: [HostBook.TransferID: HostRefusal] = [:]
  private var last: HostTurn.ID = 0

  init(_ limits: HostLimits = .small) { book = HostBook(limits: limits) }

  /// - Returns: who asked.
  @discardableResult
  mutating func ask(
    _ hosts: [String: Int], bytes: Int = 100, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostTurn.ID {
    last += 1
    var media: [Origin: Int] = [:]
    for (host, count) in hosts { media[try .host(host)] = count }
    note(book.ask(HostRequest(media: media, bytes: bytes), as: last, at: now))
    return last
  }

  @discardableResult
  mutating func ask(
    _ host: String, bytes: Int = 100, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostTurn.ID {
    try ask([host: 1], bytes: bytes, at: now)
  }

  /// Asks.
  /// - Returns: what is granted at once; nil for one who waits.
  mutating func grant(
    _ hosts: [String: Int], at now: ContinuousClock.Instant = at(0)
  ) throws -> HostGrant? {
    let turn = try ask(hosts, at: now)
    return grants[turn]
  }

  mutating func grant(
    _ host: String, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostGrant? {
    try grant([host: 1], at: now)
  }

  /// Asks.
  /// - Returns: why the host is not to be asked.
  mutating func refusalNow(
    _ host: String, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostRefusal? {
    try grant(host, at: now)?.refusals[.host(host)]
  }

  /// A request goes out, under the number of its turn.
  mutating func begin(
    _ turn: HostTurn.ID, _ host: String, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostRefusal? {
    book.begin(turn, to: try .host(host), in: turn, at: now)
  }

  /// Asks, and begins what is granted.
  mutating func visit(_ host: String, at now: ContinuousClock.Instant = at(0)) throws -> HostTurn.ID {
    let turn = try ask(host, at: now)
    if grants[turn]?.width == 1 { _ = try begin(turn, host, at: now) }
    return turn
  }

  mutating func answer(_ turn: HostTurn.ID, at now: ContinuousClock.Instant) {
    note(book.answer(turn, at: now))
  }

  mutating func fail(_ turn: HostTurn.ID, at now: ContinuousClock.Instant) {
    note(book.end(turn, isFailure: true, at: now))
  }

  mutating func leave(_ turn: HostTurn.ID, at now: ContinuousClock.Instant) {
    note(book.leave(turn, at: now))
  }

  /// Looks at the time as often as the transfer loop does, up to `now`.
  mutating func look(from start: Double = 0, to end: Double) {
    for quarter in 0...Int((end - start) * 4) { note(book.look(at: at(start + Double(quarter) / 4))) }
  }

  /// Has `host` answer once, at that time.
  mutating func prove(_ host: String, at now: ContinuousClock.Instant = at(0)) throws {
    let turn = try visit(host, at: now)
    answer(turn, at: now)
    leave(turn, at: now)
  }

  func isWaiting(_ turn: HostTurn.ID) -> Bool { grants[turn] == nil }

  func refusal(_ turn: HostTurn.ID, _ host: String) throws -> HostRefusal? {
    grants[turn]?.refusals[try .host(host)]
  }

  private mutating func note(_ news: HostBook.News) {
    for (turn, grant) in news.grants { grants[turn] = grant }
    for (transfer, refusal) in news.givenUp { givenUp[transfer] = refusal }
  }
}
