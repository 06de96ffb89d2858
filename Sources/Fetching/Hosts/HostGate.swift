internal import Supporting
internal import Synchronization

/// Hands out permits to ask hosts, so that hosts that do not answer leave transfers to the others: carries
/// out what `HostScheduler` decides.
final class HostGate: Sendable {
  private struct Shared {
    var scheduler: HostScheduler
    var lastID: UInt64 = 0
    var waiting: [HostPermit.ID: Waiter<PermitDecision?>] = [:]
    var cancellations: [HostScheduler.TransferID: @Sendable () -> Void] = [:]
    var revoked: [HostScheduler.TransferID: HostRefusal] = [:]
    var openWaiters: [Waiter<Void>] = []
    /// Whether a name waits to be looked up for the first time.
    var hasNewNames = false

    /// A payload that is taken up waits behind those that have not been begun, with its thirty seconds
    /// running.
    var isOpen: Bool { !hasNewNames && scheduler.isOpen(at: .now) }

    mutating func nextID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  private let shared: Mutex<Shared>

  init(limits: HostLimits) { shared = Mutex(Shared(scheduler: HostScheduler(limits: limits))) }

  // MARK: - Permits

  /// Waits for a decision on `request`.
  /// - Parameter onWait: called before it waits.
  /// - Throws: `FetchError.cancelled` when the task is cancelled while it waits.
  func permit(
    for request: PermitRequest, onWait: () -> Void
  ) async throws(FetchError) -> Result<HostPermit, HostRefusal> {
    let (id, answer, waiter) = ask(request)
    var decision = answer
    if let waiter {
      onWait()
      decision = await waiter.wait(cancelled: nil) {
        change { shared, _ in
          shared.scheduler.withdraw(id)
          return shared.waiting.removeValue(forKey: id)
        }
      }
    }
    switch decision {
    case .granted: return .success(HostPermit(id, from: self))
    case .refused(let refusal): return .failure(refusal)
    case nil: throw .cancelled
    }
  }

  /// - Returns: the id of the permit, and the decision or who waits for it.
  @inline(never)
  private func ask(
    _ request: PermitRequest
  ) -> (HostPermit.ID, PermitDecision?, Waiter<PermitDecision?>?) {
    change { shared, effects in
      let id = shared.nextID()
      let answer = shared.scheduler.ask(request, as: id, at: .now)
      effects = answer.effects
      if let decision = answer.decision { return (id, decision, nil) }
      let waiter = Waiter<PermitDecision?>()
      shared.waiting[id] = waiter
      return (id, nil, waiter)
    }
  }

  func release(_ id: HostPermit.ID) {
    change { shared, effects in effects = shared.scheduler.release(id, at: .now) }
  }

  // MARK: - Taking up payloads

  /// Whether there is memory for those that may have to wait, and none that waits to be begun.
  var isOpen: Bool { shared.withLock { $0.isOpen } }

  /// Returns once `isOpen` is true, or the task is cancelled.
  func waitUntilOpen() async {
    let waiter = Waiter<Void>()
    change { shared, _ in shared.openWaiters.append(waiter) }
    await waiter.wait(cancelled: ()) {
      shared.withLock { shared in
        shared.openWaiters.firstIndex { $0 === waiter }.map { shared.openWaiters.remove(at: $0) }
      }
    }
  }

  // MARK: - Transfers

  func begin(
    _ url: RemoteURL, with permit: HostPermit.ID, onRevocation cancel: @escaping @Sendable () -> Void
  ) throws(FetchError) -> HostTransfer {
    let (origin, hash) = (url.origin, url.urlHash)
    let (id, refusal) = shared.withLock { shared in
      let id = shared.nextID()
      let refusal = shared.scheduler.begin(id, to: origin, for: hash, with: permit, at: .now)
      if refusal == nil { shared.cancellations[id] = cancel }
      return (id, refusal)
    }
    if let refusal { throw .hostUnhealthy(host: url.host, refusal) }
    return HostTransfer(id, from: self)
  }

  func headArrived(_ id: HostScheduler.TransferID) {
    shared.withLock { $0.scheduler.headArrived(id, at: .now) }
  }

  func received(_ count: Int, withHead: Bool, by id: HostScheduler.TransferID) {
    change { shared, effects in
      let now = MonotonicTime.now
      if withHead { shared.scheduler.headArrived(id, at: now) }
      effects = shared.scheduler.received(count, by: id, at: now)
    }
  }

  func end(
    _ id: HostScheduler.TransferID, _ error: FetchError?, wasRequestSent: Bool, withHead: Bool
  ) -> HostRefusal? {
    let (refusal, _) = change { shared, effects in
      let now = MonotonicTime.now
      if withHead { shared.scheduler.headArrived(id, at: now) }
      // Freed once the lock is released: while this thread waits for malloc's own, all would wait for it.
      let cancel = shared.cancellations.removeValue(forKey: id)
      switch error.map(\.blame) ?? .nobody {
      // A host that accepts a connection and closes it is there, and may do so for this URL only.
      case .host where wasRequestSent: effects = shared.scheduler.hungUp(on: id, at: now)
      case .host: effects = shared.scheduler.end(id, isFailure: true, at: now)
      case .unknown: effects = shared.scheduler.end(id, isFailure: false, at: now)
      case .nobody: effects = shared.scheduler.complete(id, at: now)
      }
      return (shared.revoked.removeValue(forKey: id), cancel)
    }
    return refusal
  }

  // MARK: - Time

  /// Whether `tick` is to be called a few times a second.
  var needsTicks: Bool { shared.withLock { $0.scheduler.needsTicks || !$0.openWaiters.isEmpty } }

  /// Acts on the time that has passed. Called on the transfer loop after all pending events are handled, so
  /// that a stalled loop is not mistaken for silent hosts.
  /// - Parameters:
  ///   - hasNewNames: whether a name waits to be looked up for the first time.
  ///   - answered: transfers that have ended with a head that was not told, be it told meanwhile.
  ///   - held: transfers that are not begun yet.
  /// - Returns: whether they are known now; otherwise they are to be passed once more.
  @discardableResult
  func tick(
    hasNewNames: Bool, answered: [HostScheduler.TransferID] = [], held: [HostScheduler.TransferID] = []
  ) -> Bool {
    let now = MonotonicTime.now
    return change { shared, effects in
      shared.hasNewNames = hasNewNames
      guard shared.scheduler.isTickDue(at: now) else { return !shared.scheduler.needsTicks }
      for id in answered { shared.scheduler.headArrived(id, at: now) }
      effects = shared.scheduler.tick(at: now, held: held)
      return true
    }
  }

  /// Hosts that are not asked now.
  var unhealthy: [UnhealthyHost] { shared.withLock { $0.scheduler.unhealthy } }

  // MARK: - Effects

  /// Changes something, and carries out the effects once the lock is released.
  private func change<Value>(_ body: (inout Shared, inout HostScheduler.Effects) -> sending Value) -> Value {
    let (value, actions) = shared.withLock { shared in
      var effects = HostScheduler.Effects()
      let value = body(&shared, &effects)
      return (value, Self.actions(for: effects, &shared))
    }
    for action in actions { action() }
    return value
  }

  private static func actions(
    for effects: HostScheduler.Effects, _ shared: inout Shared
  ) -> [@Sendable () -> Void] {
    var actions: [@Sendable () -> Void] = []
    for (id, decision) in effects.decisions {
      if let waiter = shared.waiting.removeValue(forKey: id) {
        actions.append { waiter.resume(returning: decision) }
      }
    }
    for (id, refusal) in effects.revoked {
      shared.revoked[id] = refusal
      if let cancel = shared.cancellations[id] { actions.append(cancel) }
    }
    if !shared.openWaiters.isEmpty, shared.isOpen {
      for waiter in shared.openWaiters { actions.append { waiter.resume(returning: ()) } }
      shared.openWaiters = []
    }
    return actions
  }
}
