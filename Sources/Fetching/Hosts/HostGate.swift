internal import Supporting
internal import Synchronization

/// Hands out permits to ask hosts. Carries out the decisions of `HostScheduler`.
final class HostGate: Sendable {
  fileprivate struct Shared {
    var scheduler: HostScheduler
    var lastID: UInt64 = 0
    var waiting: [HostPermit.ID: Waiter<PermitDecision?>] = [:]
    var cancellations: [HostScheduler.TransferID: @Sendable () -> Void] = [:]
    var revoked: [HostScheduler.TransferID: HostRefusal] = [:]
    var intakes: [(waiter: Waiter<Int>, size: Int, mayReturn: Bool)] = []
    /// Whether a name waits to be looked up for the first time.
    var hasNewNames = false

    /// None while a name waits to be looked up: payloads would wait behind it, with their thirty seconds
    /// running.
    func capacity(for size: Int, mayReturn: Bool) -> Int {
      hasNewNames ? 0 : scheduler.capacity(for: size, mayReturn: mayReturn, at: .now)
    }

    mutating func nextID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  fileprivate let shared: Mutex<Shared>

  init(limits: HostLimits) { shared = Mutex(Shared(scheduler: HostScheduler(limits: limits))) }

  /// - Throws: `FetchError.cancelled` if the task is cancelled while it waits.
  func permit(
    for request: PermitRequest, onWait: () -> Void
  ) async throws(FetchError) -> Result<HostPermit, HostRefusal> {
    let (id, answer, waiter) = ask(request)
    var decision = answer
    if let waiter {
      onWait()
      decision = await waiter.wait(cancelled: nil) {
        change { shared in
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
    change { shared in
      let id = shared.nextID()
      if let decision = shared.scheduler.ask(request, as: id, at: .now) { return (id, decision, nil) }
      let waiter = Waiter<PermitDecision?>()
      shared.waiting[id] = waiter
      return (id, nil, waiter)
    }
  }

  /// As those of `Fetcher`.
  func capacity(for size: Int, mayReturn: Bool) -> Int {
    shared.withLock { $0.capacity(for: size, mayReturn: mayReturn) }
  }

  /// - Returns: how much; 0 if the task is cancelled.
  func waitForCapacity(for size: Int, mayReturn: Bool) async -> Int {
    let waiter = Waiter<Int>()
    // It is told at once if there is some.
    change { $0.intakes.append((waiter, size, mayReturn)) }
    return await waiter.wait(cancelled: 0) {
      shared.withLock { shared in
        shared.intakes.firstIndex { $0.waiter === waiter }.map { shared.intakes.remove(at: $0).waiter }
      }
    }
  }

  /// Whether `tick` is to be called a few times a second.
  var needsTicks: Bool { shared.withLock { $0.scheduler.needsTicks || !$0.intakes.isEmpty } }

  /// Called on the transfer loop after all pending events, so that a stalled loop is not mistaken for silent
  /// hosts.
  /// - Parameters:
  ///   - hasNewNames: whether a name waits to be looked up for the first time.
  ///   - held: transfers that are not begun yet.
  ///   - received: bytes of their bodies that have arrived.
  func tick(
    hasNewNames: Bool, held: [HostScheduler.TransferID] = [],
    received: () -> [(transfer: HostScheduler.TransferID, bytes: Int)] = { [] }
  ) {
    let now = MonotonicTime.now
    change { shared in
      shared.hasNewNames = hasNewNames
      guard shared.scheduler.isTickDue(at: now) else { return }
      shared.scheduler.tick(at: now, received: received(), held: held)
    }
  }

  var unhealthy: [UnhealthyHost] { shared.withLock { $0.scheduler.unhealthy } }

  /// Changes something, and carries out the effects once the lock is released.
  fileprivate func change<Value>(_ body: (inout Shared) -> sending Value) -> Value {
    let (value, actions) = shared.withLock { shared in (body(&shared), Self.actions(&shared)) }
    for action in actions { action() }
    return value
  }

  private static func actions(_ shared: inout Shared) -> [@Sendable () -> Void] {
    var actions: [@Sendable () -> Void] = []
    let effects = shared.scheduler.takeEffects()
    for (id, decision) in effects.decisions {
      if let waiter = shared.waiting.removeValue(forKey: id) {
        actions.append { waiter.resume(returning: decision) }
      }
    }
    for (id, refusal) in effects.revoked {
      shared.revoked[id] = refusal
      if let cancel = shared.cancellations[id] { actions.append(cancel) }
    }
    shared.intakes.removeAll { [shared] waiter, size, mayReturn in
      let capacity = shared.capacity(for: size, mayReturn: mayReturn)
      if capacity > 0 { actions.append { waiter.resume(returning: capacity) } }
      return capacity > 0
    }
    return actions
  }
}

/// Permission to send requests to a host. Released with the last reference to it, at the latest.
package final class HostPermit: Sendable {
  typealias ID = UInt64

  private let id: ID
  private let gate: HostGate
  // All transfers share the gate: it is asked no more often than needed.
  private let isReleased = Atomic(false)

  init(_ id: ID, from gate: HostGate) {
    self.id = id
    self.gate = gate
  }

  deinit { release() }

  package func release() {
    if isReleased.exchange(true, ordering: .relaxed) { return }
    gate.change { $0.scheduler.release(id, at: .now) }
  }

  /// - Parameters:
  ///   - end: when its response is of no use any more.
  ///   - cancel: called if the transfer is revoked, on any thread, possibly before this returns.
  func begin(
    _ url: RemoteURL, until end: ContinuousClock.Instant, onRevocation cancel: @escaping @Sendable () -> Void
  ) -> GatedTransfer {
    let hash = url.urlHash
    let transfer = gate.shared.withLock { shared in
      let (transfer, now) = (shared.nextID(), MonotonicTime.now)
      shared.scheduler.begin(transfer, for: hash, with: id, until: now + (end - .now), at: now)
      shared.cancellations[transfer] = cancel
      return transfer
    }
    return GatedTransfer(transfer, from: gate)
  }
}

/// A request to a host, as the gate knows it. Over with the last reference to it, at the latest.
final class GatedTransfer: Sendable {
  let id: HostScheduler.TransferID
  private let gate: HostGate
  private let isOver = Atomic(false)

  fileprivate init(_ id: HostScheduler.TransferID, from gate: HostGate) {
    self.id = id
    self.gate = gate
  }

  deinit { _ = end(.cancelled, wasRequestSent: false) }

  func headArrived(announcing length: Int?) {
    gate.shared.withLock { $0.scheduler.headArrived(id, announcing: length, at: .now) }
  }

  /// Only the first call counts. Returns why the transfer was revoked; nil if it was not.
  /// - Parameter wasRequestSent: whether the host had accepted the connection, and the request was sent.
  func end(_ error: FetchError?, wasRequestSent: Bool) -> HostRefusal? {
    if isOver.exchange(true, ordering: .relaxed) { return nil }
    let ending: HostScheduler.Ending =
      switch error {
      case .connectFailed, .dnsFailed(_, _, isTransient: true): wasRequestSent ? .hungUp : .noConnection
      case .cancelled, .resourcesExhausted, .openFilesExhausted, .hostUnhealthy: .givenUp
      // A bad certificate is an answer, and so is that there is no such name.
      default: .complete
      }
    let (refusal, _) = gate.change { shared in
      shared.scheduler.end(id, ending, at: .now)
      // Freed once the lock is released: while this thread waits for malloc's own, all would wait for it.
      return (shared.revoked.removeValue(forKey: id), shared.cancellations.removeValue(forKey: id))
    }
    return refusal
  }
}
