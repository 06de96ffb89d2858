internal import Supporting
internal import Synchronization

/// Decides which requests and payloads may go on. One lock covers places in memory, the shares of
/// hosts, and everything that waits for them. Carries out the decisions of `HostScheduler`.
package final class Admission: Sendable {
  struct Shared {
    var scheduler: HostScheduler
    var lastID: UInt64 = 0
    var waiting: [HostPermit.ID: Waiter<PermitDecision?>] = [:]
    var cancellations: [HostScheduler.TransferID: @Sendable () -> Void] = [:]
    var revoked: [HostScheduler.TransferID: HostRefusal] = [:]
    fileprivate(set) var intakes: [(waiter: Waiter<[PlaceReservation]>, intake: Intake)] = []

    mutating func nextID() -> UInt64 {
      lastID += 1
      return lastID
    }
  }

  /// The payloads to take places for.
  package enum Intake: Sendable {
    /// One payload that is already here and not in a queue.
    case here
    /// Payloads that have yet to arrive. Each takes `size` bytes while it waits for its hosts.
    case ahead(upTo: Int, size: Int, mayReturn: Bool)
  }

  package let places: Int
  let shared: Mutex<Shared>

  /// - Parameter limits: nil if hosts have no shares. Requests then wait only for places.
  init(limits: HostLimits?, places: Int = .max) {
    self.places = places
    shared = Mutex(Shared(scheduler: HostScheduler(limits: limits, places: places)))
  }

  /// Places of payloads that have arrived.
  package var inUse: Int { shared.withLock { places - $0.scheduler.free - $0.scheduler.ahead } }
  package var unhealthyHosts: [UnhealthyHost] { shared.withLock { $0.scheduler.unhealthy } }

  /// Takes one place for each payload, as long as places are free. Does not wait.
  package func takeNow(_ intake: Intake) -> [PlaceReservation] {
    shared.withLock { reserve(intake, &$0.scheduler) }
  }

  /// Takes at least one place. Waits until there is one.
  /// - Returns: an empty array if the task is cancelled while it waits.
  package func take(_ intake: Intake) async -> [PlaceReservation] {
    let waiter = Waiter<[PlaceReservation]>()
    // `change` resumes the waiter at once if places are free.
    change { $0.intakes.append((waiter, intake)) }
    return await waiter.wait(cancelled: []) {
      shared.withLock { shared in
        shared.intakes.firstIndex { $0.waiter === waiter }.map { shared.intakes.remove(at: $0).waiter }
      }
    }
  }

  private func reserve(_ intake: Intake, _ scheduler: inout HostScheduler) -> [PlaceReservation] {
    scheduler.take(intake, at: .now).map { PlaceReservation($0, of: self) }
  }

  /// - Parameter onWait: called before the request waits for its host, but not for a place.
  func permit(
    for request: PermitRequest, onWait: () -> Void
  ) async throws(FetchError) -> Result<HostPermit, HostRefusal> {
    let (id, answer, waiter, waitsForHost) = ask(request)
    var decision = answer
    if let waiter {
      if waitsForHost { onWait() }
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

  @inline(never)  // see `TaskPool`
  private func ask(
    _ request: PermitRequest
  ) -> (HostPermit.ID, PermitDecision?, Waiter<PermitDecision?>?, waitsForHost: Bool) {
    change { shared in
      let id = shared.nextID()
      if let decision = shared.scheduler.ask(request, as: id, at: .now) { return (id, decision, nil, false) }
      let waiter = Waiter<PermitDecision?>()
      shared.waiting[id] = waiter
      return (id, nil, waiter, shared.scheduler.room.guests.last?.reason != .place)
    }
  }

  /// Called on the transfer loop after all events, so that a stalled loop does not make hosts seem silent.
  /// - Parameters:
  ///   - hasNewNames: whether a name waits to be looked up for the first time.
  ///   - held: transfers that have not begun yet.
  /// - Returns: whether to call this again soon.
  @discardableResult
  func tick(
    hasNewNames: Bool, held: [HostScheduler.TransferID] = [],
    received: () -> [(transfer: HostScheduler.TransferID, bytes: Int)] = { [] }
  ) -> Bool {
    let now = MonotonicTime.now
    return change { shared in
      shared.scheduler.hasNewNames = hasNewNames
      if shared.scheduler.isTickDue(at: now) {
        shared.scheduler.tick(at: now, received: received(), held: held)
      }
      return shared.scheduler.needsTicks || !shared.intakes.isEmpty
    }
  }

  /// Runs `body` under the lock, and carries out its effects after the lock is released.
  func change<Value>(_ body: (inout Shared) -> sending Value) -> Value {
    let (value, actions) = shared.withLock { [self] shared in (body(&shared), self.actions(&shared)) }
    for action in actions { action() }
    return value
  }

  private func actions(_ shared: inout Shared) -> [@Sendable () -> Void] {
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
    if shared.intakes.isEmpty || shared.scheduler.free == 0 { return actions }
    let intakes = shared.intakes
    shared.intakes = intakes.filter { waiter, intake in
      let places = reserve(intake, &shared.scheduler)
      if !places.isEmpty { actions.append { waiter.resume(returning: places) } }
      return places.isEmpty
    }
    return actions
  }
}
