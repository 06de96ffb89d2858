import TestSupport
@testable import Fetching
import Supporting

/// A moment of a test's own time, in seconds.
func at(_ seconds: Double) -> MonotonicTime { origin + .seconds(seconds) }

private let origin = MonotonicTime.now

extension HostLimits {
  /// 16 transfers at once, of which an unproven host may have 2, and all such hosts together 8. Pauses are
  /// exact.
  static let small: HostLimits = {
    var limits = HostLimits()
    limits.transfers = 16
    limits.jitter = 0
    limits.waitingBytes = 1_000
    return limits
  }()
}

extension Origin {
  static func host(_ name: String) throws -> Origin { try RemoteURL("https://\(name).example/").origin }
}

extension CircuitBreaker {
  /// For the only URL that there is.
  func state(at now: Instant) -> State { state(at: now, for: 0) }

  mutating func tick(_ quiet: [Instant], at now: Instant, _ limits: HostLimits) {
    tick(quiet.map { (since: $0, url: 0) }, at: now, limits)
  }

  /// A whole response is there at once.
  mutating func complete(since start: Instant, at now: Instant) {
    answered(after: now - start, at: now)
    delivered(at: now, .small)
  }
}

/// A scheduler and the requests that it is asked for. A permit and its transfer have the same number.
struct Simulation {
  var scheduler: HostScheduler
  private(set) var decisions: [HostPermit.ID: PermitDecision] = [:]
  private(set) var revoked: [HostScheduler.TransferID: HostRefusal] = [:]
  private var last: HostPermit.ID = 0

  init(_ limits: HostLimits = .small) { scheduler = HostScheduler(limits: limits) }

  @discardableResult
  mutating func ask(
    _ host: String, _ url: URLHash = 0, bytes: Int = 100, at now: MonotonicTime = at(0)
  ) throws -> HostPermit.ID {
    last += 1
    let request = PermitRequest(origin: try .host(host), url: url, bytes: bytes)
    let (decision, effects) = scheduler.ask(request, as: last, at: now)
    decisions[last] = decision
    note(effects)
    return last
  }

  /// Asks.
  /// - Returns: nil if the request waits.
  mutating func decision(
    on host: String, _ url: URLHash = 0, at now: MonotonicTime = at(0)
  ) throws -> PermitDecision? {
    let permit = try ask(host, url, at: now)
    return decisions[permit]
  }

  mutating func begin(
    _ permit: HostPermit.ID, _ host: String, _ url: URLHash = 0, at now: MonotonicTime = at(0)
  ) throws -> HostRefusal? {
    scheduler.begin(permit, to: try .host(host), for: url, with: permit, at: now)
  }

  /// Asks, and sends the request if that is granted.
  mutating func send(
    _ host: String, _ url: URLHash = 0, at now: MonotonicTime = at(0)
  ) throws -> HostPermit.ID {
    let permit = try ask(host, url, at: now)
    if decisions[permit] == .granted { _ = try begin(permit, host, url, at: now) }
    return permit
  }

  mutating func headArrived(_ permit: HostPermit.ID, at now: MonotonicTime) {
    scheduler.headArrived(permit, at: now)
  }

  mutating func received(_ permit: HostPermit.ID, _ count: Int, at now: MonotonicTime) {
    note(scheduler.received(count, by: permit, at: now))
  }

  /// A whole response arrives at once.
  mutating func answer(_ permit: HostPermit.ID, at now: MonotonicTime) {
    scheduler.headArrived(permit, at: now)
    note(scheduler.complete(permit, at: now))
  }

  mutating func fail(_ permit: HostPermit.ID, at now: MonotonicTime) {
    note(scheduler.end(permit, isFailure: true, at: now))
  }

  mutating func hangUp(_ permit: HostPermit.ID, at now: MonotonicTime) {
    note(scheduler.hungUp(on: permit, at: now))
  }

  /// The transfer is over, and the host is not to blame.
  mutating func end(_ permit: HostPermit.ID, at now: MonotonicTime) {
    note(scheduler.end(permit, isFailure: false, at: now))
  }

  mutating func release(_ permit: HostPermit.ID, at now: MonotonicTime) {
    note(scheduler.release(permit, at: now))
  }

  /// Ticks as often as the transfer loop does.
  mutating func tick(from start: Double = 0, to end: Double, held: [HostPermit.ID] = []) {
    for quarter in 0...Int((end - start) * 4) {
      note(scheduler.tick(at: at(start + Double(quarter) / 4), held: held))
    }
  }

  /// Has `host` answer one request.
  mutating func prove(_ host: String, at now: MonotonicTime = at(0)) throws {
    let permit = try send(host, at: now)
    answer(permit, at: now)
    release(permit, at: now)
  }

  func isWaiting(_ permit: HostPermit.ID) -> Bool { decisions[permit] == nil }

  private mutating func note(_ effects: HostScheduler.Effects) {
    for (permit, decision) in effects.decisions { decisions[permit] = decision }
    for (transfer, refusal) in effects.revoked { revoked[transfer] = refusal }
  }
}
