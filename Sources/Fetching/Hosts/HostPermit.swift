internal import Supporting
internal import Synchronization

struct PermitRequest: Sendable {
  let origin: Origin
  let url: URLHash
  let bytes: Int
  let turn: PayloadTurn
}

enum PermitDecision: Sendable, Equatable {
  case granted
  case refused(HostRefusal)
}

/// Permission to send requests to a host. Released at the latest with the last reference to it.
package final class HostPermit: Sendable {
  typealias ID = UInt64

  fileprivate let id: ID
  private let admission: Admission
  // All transfers share the lock of `admission`, so it is taken no more often than needed.
  fileprivate let isReleased = Atomic(false)

  init(_ id: ID, from admission: Admission) {
    self.id = id
    self.admission = admission
  }

  deinit { release() }

  package func release() {
    if isReleased.exchange(true, ordering: .relaxed) { return }
    admission.change { $0.scheduler.release(id, at: .now) }
  }

  /// - Parameter cancel: called on revocation, on any thread, possibly before this returns.
  func begin(
    _ url: RemoteURL, until end: ContinuousClock.Instant, onRevocation cancel: @escaping @Sendable () -> Void
  ) -> GatedTransfer {
    let hash = url.urlHash
    let transfer = admission.shared.withLock { shared in
      let (transfer, now) = (shared.nextID(), MonotonicTime.now)
      shared.scheduler.begin(transfer, for: hash, with: id, until: now + (end - .now), at: now)
      shared.cancellations[transfer] = cancel
      return transfer
    }
    return GatedTransfer(transfer, from: admission)
  }
}

/// A request to a host, as `Admission` tracks it. Ends at the latest with the last reference to it.
final class GatedTransfer: Sendable {
  let id: HostScheduler.TransferID
  private let admission: Admission
  private let isOver = Atomic(false)

  fileprivate init(_ id: HostScheduler.TransferID, from admission: Admission) {
    self.id = id
    self.admission = admission
  }

  deinit { _ = end(.cancelled, wasRequestSent: false) }

  func headArrived(announcing length: Int?) {
    admission.shared.withLock { $0.scheduler.headArrived(id, announcing: length, at: .now) }
  }

  /// Only the first call counts. Returns why the transfer was revoked, or nil if it was not.
  /// - Parameters:
  ///   - wasRequestSent: whether the host accepted the connection and the request was sent.
  ///   - permit: also released, under the same lock.
  func end(_ error: FetchError?, wasRequestSent: Bool, releasing permit: HostPermit? = nil) -> HostRefusal? {
    if isOver.exchange(true, ordering: .relaxed) { return nil }
    let released = permit?.isReleased.exchange(true, ordering: .relaxed) == false ? permit?.id : nil
    let ending: HostScheduler.Ending =
      switch error {
      case .connectFailed, .dnsFailed(_, _, isTransient: true): wasRequestSent ? .hungUp : .noConnection
      case .cancelled, .resourcesExhausted, .openFilesExhausted, .hostUnhealthy: .givenUp
      // A bad certificate is an answer, and so is a name that does not exist.
      default: .complete
      }
    let (refusal, _) = admission.change { shared in
      let now = MonotonicTime.now
      shared.scheduler.end(id, ending, at: now)
      if let released { shared.scheduler.release(released, at: now) }
      // Freed after the lock is released: if malloc's lock kept this thread, all others would wait.
      return (shared.revoked.removeValue(forKey: id), shared.cancellations.removeValue(forKey: id))
    }
    return refusal
  }
}
