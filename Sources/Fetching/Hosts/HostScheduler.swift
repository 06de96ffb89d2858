internal import Supporting

/// Decides which requests may go to which host. A pure state machine: callers pass the time in, and
/// `HostGate` carries out its decisions.
///
/// A host that delivers may use every transfer. One that has not delivered yet, or too slowly of late, gets a
/// few, and all such hosts together get half. Other requests wait in one queue, without a transfer; its
/// memory is limited. When it is full, requests to hosts that have delivered nothing for a while are refused.
/// While their hosts do deliver, no more payloads are taken up instead.
struct HostScheduler {
  typealias Instant = MonotonicTime
  typealias TransferID = UInt64

  /// What others have to be told.
  struct Effects {
    var decisions: [(permit: HostPermit.ID, decision: PermitDecision)] = []
    /// Transfers that are to be cancelled, because others need their slots more.
    var revoked: [(transfer: TransferID, refusal: HostRefusal)] = []
  }

  /// A transfer whose response is not complete.
  struct Pending {
    let permit: HostPermit.ID
    let origin: Origin
    let url: URLHash
    /// Since when nothing has come of it. Bytes that arrive move it forward by the time they would have taken
    /// at `HostLimits.minimumSpeed`.
    var quietSince: Instant
    /// Whether the head of the response has arrived.
    private(set) var hasHead = false

    /// - Returns: whose head it is, and how long it took; nil if that is known already.
    mutating func noteHead(at now: Instant) -> (origin: Origin, time: Duration)? {
      guard !hasHead else { return nil }
      defer { quietSince = now }
      hasHead = true
      return (origin, now - quietSince)
    }
  }

  enum WaitReason: Equatable {
    /// The host is unproven, and has the transfers that it may have.
    case host(Origin)
    /// All unproven hosts together have the transfers that they may have.
    case unprovenHosts
  }

  struct Waiter {
    let permit: HostPermit.ID
    let request: PermitRequest
    var reason: WaitReason
    var since: Instant
  }

  let limits: HostLimits
  private(set) var hosts: [Origin: CircuitBreaker] = [:]
  /// Permits for hosts that may never answer: the sum of what `hosts` have.
  private(set) var unprovenPermits = 0
  var permits: [HostPermit.ID: Origin] = [:]
  var pending: [TransferID: Pending] = [:]
  var waiting = WaitingRequests()
  /// When a request first had to wait because unproven hosts had all their transfers; nil if none has since
  /// one of them delivered.
  var firstWaitSince: Instant?
  var lastTick: Instant?
  private var uses: UInt64 = 0

  init(limits: HostLimits) { self.limits = limits }

  // MARK: - Permits

  /// Asks for a permit.
  /// - Returns: the decision, nil if the request waits for it; and what it means for those that wait already.
  mutating func ask(
    _ request: PermitRequest, as permit: HostPermit.ID, at now: Instant
  ) -> (decision: PermitDecision?, effects: Effects) {
    switch verdict(on: request, at: now) {
    case .decided(let decision): return (admit(permit, request, decision, at: now), Effects())
    case .waits(let reason):
      noteWaiter(reason, at: now)
      var effects = Effects()
      let waiter = Waiter(permit: permit, request: request, reason: reason, since: now)
      return (enqueue(waiter, at: now, &effects), effects)
    }
  }

  /// The request does not wait any more.
  mutating func withdraw(_ permit: HostPermit.ID) {
    if let index = waiting.all.firstIndex(where: { $0.permit == permit }) { waiting.remove(at: index) }
  }

  mutating func release(_ permit: HostPermit.ID, at now: Instant) -> Effects {
    guard let origin = permits.removeValue(forKey: permit) else { return Effects() }
    let wasProven = hosts[origin]?.isProven == true
    change(origin) { host in
      host.permits -= 1
      host.abandonProbe(of: permit)
    }
    return wasProven ? Effects() : admitWaiters(at: now)
  }

  // MARK: - Transfers

  /// A request is to be sent to `origin`, which after a redirect need not be the one that the permit is for.
  /// - Returns: why it must not be sent; nil if it may.
  mutating func begin(
    _ transfer: TransferID, to origin: Origin, for url: URLHash, with permit: HostPermit.ID, at now: Instant
  ) -> HostRefusal? {
    if permits[permit] != origin, let refusal = refusalOfRedirect(to: origin, for: url, at: now) {
      return refusal
    }
    recordUse(of: origin)
    change(origin) { host in
      if host.state(at: now, for: url) == .halfOpen { host.reserveProbe(for: permit) }
      host.requestSent(with: permit, at: now)
    }
    // Ticks pause while nothing is pending: the time since the last one is no gap.
    if pending.isEmpty { lastTick = now }
    pending[transfer] = Pending(permit: permit, origin: origin, url: url, quietSince: now)
    return nil
  }

  /// The head of the response has arrived. That costs a host nothing, and does not prove it; but those that
  /// wait go on waiting. Only the first call counts.
  mutating func headArrived(_ transfer: TransferID, at now: Instant) {
    guard let index = pending.index(forKey: transfer),
      let (origin, time) = pending.values[index].noteHead(at: now)
    else { return }
    var wasProven = false
    change(origin) { host in
      wasProven = host.isProven
      host.answered(after: time, at: now)
    }
    if !wasProven { firstWaitSince = firstWaitSince.map { _ in now } }
  }

  /// Another `count` bytes of the body have arrived.
  mutating func received(_ count: Int, by transfer: TransferID, at now: Instant) -> Effects {
    guard let index = pending.index(forKey: transfer) else { return Effects() }
    let worth = Duration.seconds(1) * count / limits.minimumSpeed
    pending.values[index].quietSince = min(pending.values[index].quietSince + worth, now)
    return delivered(pending.values[index].origin, at: now)
  }

  /// The response is complete, or as much of it as is wanted.
  mutating func complete(_ transfer: TransferID, at now: Instant) -> Effects {
    guard let complete = pending.removeValue(forKey: transfer) else { return Effects() }
    recordUse(of: complete.origin)
    return delivered(complete.origin, at: now)
  }

  private mutating func delivered(_ origin: Origin, at now: Instant) -> Effects {
    let limits = limits
    var wasProven = true
    var admitsMore = false
    change(origin) { host in
      wasProven = host.isProven
      let wasOut = host.outage != nil
      host.delivered(at: now, limits)
      admitsMore = wasOut || host.isProven
    }
    guard !wasProven else { return Effects() }
    firstWaitSince = nil
    return admitsMore ? admitWaiters(at: now) : Effects()
  }

  /// The transfer is over without a result.
  /// - Parameter isFailure: whether the host is to blame.
  mutating func end(_ transfer: TransferID, isFailure: Bool, at now: Instant) -> Effects {
    guard let over = pending.removeValue(forKey: transfer) else { return Effects() }
    guard isFailure else {
      // After a redirect it may have been the probe of a host that its permit is not for.
      change(over.origin) { $0.abandonProbe(of: over.permit) }
      return Effects()
    }
    let limits = limits
    change(over.origin) { $0.failed(with: over.permit, since: over.quietSince, at: now, limits) }
    return hosts[over.origin]?.outage == nil ? Effects() : admitWaiters(at: now)
  }

  /// The host accepted the connection, and closed it without a response.
  mutating func hungUp(on transfer: TransferID, at now: Instant) -> Effects {
    guard let over = pending.removeValue(forKey: transfer) else { return Effects() }
    let limits = limits
    change(over.origin) { $0.hungUp(on: over.permit, limits) }
    return admitWaiters(at: now)
  }

  // MARK: - Hosts

  /// Changes the entry of `origin`, if it has one.
  mutating func change(_ origin: Origin, _ body: (inout CircuitBreaker) -> Void) {
    guard let index = hosts.index(forKey: origin) else { return }
    // In one access: each to read something would copy the entry.
    unprovenPermits += hosts.values[index].change(body)
  }

  /// Makes `origin` the most recently used host, with an entry if it has none.
  mutating func recordUse(of origin: Origin) {
    uses += 1
    if let index = hosts.index(forKey: origin) {
      hosts.values[index].lastUse = uses
    } else {
      if hosts.count >= limits.maximumHosts { evictOne() }
      hosts[origin] = CircuitBreaker(lastUse: uses)
    }
  }

  /// Forgets the least recently used host, of those that have no permits and no transfers.
  private mutating func evictOne() {
    let busy = Set(pending.values.map(\.origin))
    let idle = hosts.lazy.filter { $0.value.permits == 0 && !busy.contains($0.key) }
    if let last = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) { hosts[last.key] = nil }
  }
}
