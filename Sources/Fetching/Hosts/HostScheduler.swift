internal import Supporting
internal import Synchronization

typealias Instant = MonotonicTime

/// Decides which requests may go to which host, and when. A pure state machine: callers pass in the
/// time, and `Admission` carries out its decisions. A host's share of the downloads grows with each
/// complete download and falls back with each failure (`HostRecord`). Hosts that have delivered
/// nothing share half of all downloads. Like slow hosts, they leave a quarter to quick hosts
/// (`HostLimits`). A payload has places in memory, and lends those of media that wait
/// (`HostScheduler+Places`). A request that cannot start waits, and its payload goes back to its
/// queue if that takes long (`HostScheduler+Waiting`). A response that does not arrive in time
/// makes room for requests that wait (`HostScheduler+Overdue`). A silent host gets no requests for
/// a while (`Outage`).
struct HostScheduler {
  typealias TransferID = UInt64

  struct Effects {
    var decisions: [(permit: HostPermit.ID, decision: PermitDecision)] = []
    /// Transfers to cancel, because others need their places more.
    var revoked: [(transfer: TransferID, refusal: HostRefusal)] = []
  }

  let limits: HostLimits
  private(set) var hosts: [Origin: HostRecord] = [:]
  /// Permits for hosts that have not delivered, or not since their last failure: a sum over
  /// `hosts`.
  private(set) var unprovenPermits = 0
  /// Permits for hosts that are not quick, including unproven hosts.
  private(set) var slowPermits = 0
  private(set) var permits: [HostPermit.ID: (origin: Origin, turn: PayloadTurn)] = [:]
  var pending: [TransferID: PendingTransfer] = [:]
  var room = WaitingRoom()
  var pace = TakingPace()
  var lastTick: Instant?
  var effects = Effects()
  var lastQuickDelivery: Instant?
  private var uses: UInt64 = 0
  /// Whether hosts have shares. If not, requests wait only for places.
  let sharesHosts: Bool
  var free: Int
  /// Places taken for payloads that have yet to arrive.
  var ahead = 0
  var hasNewNames = false

  init(limits: HostLimits?, places: Int = .max) {
    self.limits = limits ?? HostLimits()
    sharesHosts = limits != nil
    free = places
  }

  mutating func takeEffects() -> Effects {
    defer { effects = Effects() }
    return effects
  }

  /// - Returns: the decision, or nil if the request has to wait for it.
  mutating func ask(_ request: PermitRequest, as permit: HostPermit.ID, at now: Instant) -> PermitDecision? {
    begin(request.turn)
    // Counts as waiting until decided. Others get its place only if the medium really has to wait.
    request.turn.places.withLock { $0.waiting += 1 }
    switch verdict(on: request, at: now) {
    case .decided(let decision):
      if decision == .granted { pace.noteStart() }
      return admit(permit, request, decision, at: now)
    case .waits(let reason):
      return enter(WaitingRoom.Guest(permit: permit, request: request, reason: reason, since: now), at: now)
    }
  }

  mutating func withdraw(_ permit: HostPermit.ID) {
    for guest in room.remove(if: { $0.permit == permit }) { endWaiting(guest.request.turn) }
  }

  mutating func release(_ permit: HostPermit.ID, at now: Instant) {
    guard let origin = permits.removeValue(forKey: permit)?.origin else { return }
    change(origin) { host in
      host.permits -= 1
      host.abandonProbe(of: permit)
    }
    admitGuests(at: now)
  }

  enum Verdict {
    case decided(PermitDecision)
    case waits(WaitingRoom.Reason)
  }

  func verdict(on request: PermitRequest, at now: Instant) -> Verdict {
    if request.turn.isBack { return .decided(.refused(.busy)) }
    let verdict = sharesHosts ? hostVerdict(on: request, at: now) : .decided(.granted)
    guard case .decided(.granted) = verdict, free == 0, needsPlace(request.turn) else { return verdict }
    return .waits(.place)
  }

  private func hostVerdict(on request: PermitRequest, at now: Instant) -> Verdict {
    let host = hosts[request.origin] ?? HostRecord(share: limits.firstShare)
    switch host.circuit(at: now, for: request.url) {
    case .open(let refusal?): return .decided(.refused(refusal))
    case .open(nil): return .waits(.host)
    case .closed where host.permits >= host.share: return .waits(.host)
    case .closed, .halfOpen: break
    }
    if host.isQuick(limits) { return .decided(.granted) }
    if !host.isProven, unprovenPermits >= limits.unprovenTransfers { return .waits(.others) }
    let most = isQuickHostActive(at: now) ? limits.slowTransfers : limits.transfers
    return slowPermits >= most ? .waits(.others) : .decided(.granted)
  }

  func isQuickHostActive(at now: Instant) -> Bool {
    lastQuickDelivery.map { now - $0 < limits.quickMemory } ?? false
  }

  mutating func admit(
    _ permit: HostPermit.ID, _ request: PermitRequest, _ decision: PermitDecision, at now: Instant
  ) -> PermitDecision {
    if decision == .granted { takePlace(for: request.turn) } else { endWaiting(request.turn) }
    guard sharesHosts else { return decision }
    recordUse(of: request.origin)
    guard decision == .granted else { return decision }
    permits[permit] = (request.origin, request.turn)
    change(request.origin) { host in
      host.permits += 1
      if host.circuit(at: now, for: request.url) == .halfOpen { host.reserveProbe(for: permit) }
    }
    return decision
  }

  mutating func change(_ origin: Origin, _ body: (inout HostRecord) -> Void) {
    guard let index = hosts.index(forKey: origin) else { return }
    count(hosts.values[index], -1)
    body(&hosts.values[index])
    count(hosts.values[index], 1)
  }

  private mutating func count(_ host: HostRecord, _ sign: Int) {
    if !host.isProven { unprovenPermits += sign * host.permits }
    if !host.isQuick(limits) { slowPermits += sign * host.permits }
  }

  var unhealthy: [UnhealthyHost] {
    hosts.compactMap { origin, host in
      host.outage.map {
        UnhealthyHost(origin: "\(origin)", since: $0.since.instant, nextTry: $0.nextTry.instant)
      }
    }
  }

  mutating func recordUse(of origin: Origin) {
    uses += 1
    if let index = hosts.index(forKey: origin) {
      hosts.values[index].lastUse = uses
    } else {
      if hosts.count >= limits.maximumHosts { evictOne() }
      var host = HostRecord(share: limits.firstShare)
      host.lastUse = uses
      hosts[origin] = host
    }
  }

  private mutating func evictOne() {
    let busy = Set(pending.values.map(\.origin))
    let idle = hosts.lazy.filter { $0.value.permits == 0 && !busy.contains($0.key) }
    if let last = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) { hosts[last.key] = nil }
  }
}
