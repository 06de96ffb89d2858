import Supporting
import TestSupport
import Testing

@testable import Fetching

/// A moment of simulated time, in seconds.
func at(_ seconds: Double) -> MonotonicTime { origin + .seconds(seconds) }

private let origin = MonotonicTime.now

extension HostLimits {
  /// 16 downloads at once. A host starts with 2, all unproven hosts together have 8, and slow ones
  /// 12. Ten requests of 100 bytes may wait. Pauses are exact.
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

/// A scheduler and its requests. A permit and its transfer have the same number.
struct Simulation {
  var scheduler: HostScheduler
  private(set) var decisions: [HostPermit.ID: PermitDecision] = [:]
  private(set) var revoked: [HostScheduler.TransferID: HostRefusal] = [:]
  private var last: HostPermit.ID = 0

  init(_ limits: HostLimits = .small, places: Int = .max) {
    scheduler = HostScheduler(limits: limits, places: places)
  }

  /// The turn of a payload that has arrived and has a place.
  mutating func turnWithPlace(at now: MonotonicTime = at(0)) throws -> PayloadTurn {
    try #require(scheduler.take(.here, at: now).first)
  }

  /// Changes the scheduler, and records the decisions that follow.
  mutating func update(_ body: (inout HostScheduler) -> Void) {
    body(&scheduler)
    noteEffects()
  }

  @discardableResult
  mutating func ask(
    _ host: String, _ url: URLHash = 0, bytes: Int = 100, mayGoBack: Bool = true, turn: PayloadTurn? = nil,
    at now: MonotonicTime = at(0)
  ) throws -> HostPermit.ID {
    last += 1
    let turn = turn ?? PayloadTurn(mayGoBack: mayGoBack)
    let request = PermitRequest(origin: try .host(host), url: url, bytes: bytes, turn: turn)
    decisions[last] = scheduler.ask(request, as: last, at: now)
    noteEffects()
    return last
  }

  /// Asks for a permit.
  /// - Returns: the decision; nil if the request waits.
  mutating func decision(
    on host: String, _ url: URLHash = 0, at now: MonotonicTime = at(0)
  ) throws -> PermitDecision? {
    let permit = try ask(host, url, at: now)
    return decisions[permit]
  }

  /// Asks for a permit, and sends the request if it is granted.
  @discardableResult
  mutating func send(
    _ host: String, _ url: URLHash = 0, mayGoBack: Bool = true, at now: MonotonicTime = at(0)
  ) throws -> HostPermit.ID {
    let permit = try ask(host, url, mayGoBack: mayGoBack, at: now)
    begin(permit, url, at: now)
    return permit
  }

  /// Sends the request of `permit` if it was granted. Its deadline is 30 s later.
  mutating func begin(_ permit: HostPermit.ID, _ url: URLHash = 0, at now: MonotonicTime) {
    guard decisions[permit] == .granted else { return }
    scheduler.begin(permit, for: url, with: permit, until: now + .seconds(30), at: now)
  }

  mutating func headArrived(_ permit: HostPermit.ID, announcing length: Int? = nil, at now: MonotonicTime) {
    scheduler.headArrived(permit, announcing: length, at: now)
  }

  /// Lets a whole response arrive at once, and returns the permit.
  mutating func answer(_ permit: HostPermit.ID, at now: MonotonicTime) {
    scheduler.headArrived(permit, announcing: nil, at: now)
    end(permit, .complete, at: now)
  }

  mutating func end(_ permit: HostPermit.ID, _ ending: HostScheduler.Ending, at now: MonotonicTime) {
    scheduler.end(permit, ending, at: now)
    noteEffects()
    release(permit, at: now)
  }

  mutating func release(_ permit: HostPermit.ID, at now: MonotonicTime) {
    scheduler.release(permit, at: now)
    noteEffects()
  }

  mutating func tick(
    at now: MonotonicTime, received: [(transfer: HostPermit.ID, bytes: Int)] = [], held: [HostPermit.ID] = []
  ) {
    scheduler.tick(at: now, received: received, held: held)
    noteEffects()
  }

  /// Ticks as often as the transfer loop does. Revoked transfers return their permits.
  mutating func tick(
    from start: Double = 0, to end: Double, held: [HostPermit.ID] = [],
    received: (Double) -> [(transfer: HostPermit.ID, bytes: Int)] = { _ in [] }
  ) {
    for quarter in 0...Int((end - start) * 4) {
      let time = start + Double(quarter) / 4
      let before = Set(revoked.keys)
      tick(at: at(time), received: received(time), held: held)
      for permit in revoked.keys where !before.contains(permit) { release(permit, at: at(time)) }
    }
  }

  /// Lets `host` answer requests, each after `delay` seconds.
  mutating func prove(
    _ host: String, times: Int = 1, after delay: Double = 0.01, at start: Double = 0
  ) throws {
    for _ in 0..<times {
      let permit = try send(host, at: at(start))
      answer(permit, at: at(start + delay))
    }
  }

  func isWaiting(_ permit: HostPermit.ID) -> Bool { decisions[permit] == nil }

  private mutating func noteEffects() {
    let effects = scheduler.takeEffects()
    for (permit, decision) in effects.decisions { decisions[permit] = decision }
    for (transfer, refusal) in effects.revoked { revoked[transfer] = refusal }
  }
}
