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

extension HostHealth {
  /// For the only URL that there is.
  func standing(at now: Instant) -> Standing { standing(at: now, for: 0) }

  mutating func look(_ quiet: [Instant], at now: Instant, _ limits: HostLimits) {
    look(quiet.map { (since: $0, url: 0) }, at: now, limits)
  }

  /// A whole response is there at once.
  mutating func complete(since start: Instant, at now: Instant) {
    answer(since: start, at: now)
    deliver(at: now, .small)
  }
}

/// A book of hosts and who has asked it for something: in the order of their numbers, each with the transfers that he began.
struct Visitors {
  var book: HostBook
  /// What everybody was told so far.
  private(set) var answers: [HostTurn.ID: HostAnswer] = [:]
  private(set) var givenUp: [HostBook.TransferID: HostRefusal] = [:]
  private var last: HostTurn.ID = 0

  init(_ limits: HostLimits = .small) { book = HostBook(limits: limits) }

  /// - Returns: who asked.
  @discardableResult
  mutating func ask(
    _ host: String, _ url: URLMark = 0, bytes: Int = 100, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostTurn.ID {
    last += 1
    note(book.ask(HostRequest(origin: try .host(host), url: url, bytes: bytes), as: last, at: now))
    return last
  }

  /// Asks.
  /// - Returns: what is said at once; nil for one who waits.
  mutating func answerNow(
    _ host: String, _ url: URLMark = 0, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostAnswer? {
    let turn = try ask(host, url, at: now)
    return answers[turn]
  }

  /// A request goes out, under the number of its turn.
  mutating func begin(
    _ turn: HostTurn.ID, _ host: String, _ url: URLMark = 0, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostRefusal? {
    book.begin(turn, to: try .host(host), for: url, in: turn, at: now)
  }

  /// Asks, and begins what is granted.
  mutating func visit(
    _ host: String, _ url: URLMark = 0, at now: ContinuousClock.Instant = at(0)
  ) throws -> HostTurn.ID {
    let turn = try ask(host, url, at: now)
    if answers[turn] == .granted { _ = try begin(turn, host, url, at: now) }
    return turn
  }

  /// The head of its response is there.
  mutating func begin(answering turn: HostTurn.ID, at now: ContinuousClock.Instant) {
    book.answer(turn, at: now)
  }

  mutating func receive(_ turn: HostTurn.ID, _ bytes: Int, at now: ContinuousClock.Instant) {
    note(book.receive(turn, bytes, at: now))
  }

  /// Its response is there at once.
  mutating func answer(_ turn: HostTurn.ID, at now: ContinuousClock.Instant) {
    book.answer(turn, at: now)
    note(book.complete(turn, at: now))
  }

  mutating func fail(_ turn: HostTurn.ID, at now: ContinuousClock.Instant) {
    note(book.end(turn, isFailure: true, at: now))
  }

  mutating func hangUp(_ turn: HostTurn.ID, at now: ContinuousClock.Instant) {
    note(book.hangUp(turn, at: now))
  }

  /// It is over, and nobody knows whether the host is to blame.
  mutating func end(_ turn: HostTurn.ID, at now: ContinuousClock.Instant) {
    note(book.end(turn, isFailure: false, at: now))
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

  func isWaiting(_ turn: HostTurn.ID) -> Bool { answers[turn] == nil }

  private mutating func note(_ news: HostBook.News) {
    for (turn, answer) in news.answers { answers[turn] = answer }
    for (transfer, refusal) in news.givenUp { givenUp[transfer] = refusal }
  }
}
