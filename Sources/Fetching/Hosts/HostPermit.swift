internal import Synchronization

/// Permission to send requests to a host. Released with the last reference to it, at the latest.
package final class HostPermit: Sendable {
  typealias ID = UInt64

  let id: ID
  private let gate: HostGate
  // All transfers share the gate: it is asked no more often than needed.
  private let isReleased = Atomic(false)

  init(_ id: ID, from gate: HostGate) {
    self.id = id
    self.gate = gate
  }

  deinit { release() }

  package func release() {
    if !isReleased.exchange(true, ordering: .relaxed) { gate.release(id) }
  }

  /// Records that a request is about to be sent.
  /// - Parameters:
  ///   - end: when its response is of no use any more.
  ///   - cancel: called if the transfer is revoked in favour of others, on any thread, possibly before this returns.
  func begin(
    _ url: RemoteURL, until end: ContinuousClock.Instant, onRevocation cancel: @escaping @Sendable () -> Void
  ) -> GatedTransfer {
    gate.begin(url, with: id, until: end, onRevocation: cancel)
  }
}

/// A request to a host, as the gate knows it: tells it how the transfer goes. Over with the last reference to it, at
/// the latest.
final class GatedTransfer: Sendable {
  let id: HostScheduler.TransferID
  private let gate: HostGate
  private let isOver = Atomic(false)

  init(_ id: HostScheduler.TransferID, from gate: HostGate) {
    self.id = id
    self.gate = gate
  }

  deinit { _ = end(.cancelled, wasRequestSent: false) }

  /// The head of the response has arrived.
  /// - Parameter length: Content-Length; nil if the server did not say.
  func headArrived(announcing length: Int?) { gate.headArrived(id, announcing: length) }

  /// The transfer is over. Only the first call counts.
  /// - Parameter wasRequestSent: whether the host had accepted the connection, and the request was sent.
  /// - Returns: why it was revoked; nil if it was not.
  func end(_ error: FetchError?, wasRequestSent: Bool) -> HostRefusal? {
    if isOver.exchange(true, ordering: .relaxed) { return nil }
    return gate.end(id, error, wasRequestSent: wasRequestSent)
  }
}
