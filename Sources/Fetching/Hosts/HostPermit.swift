internal import Synchronization

/// Permission to send requests to a host. Released with the last reference to it, at the latest.
package final class HostPermit: Sendable {
  typealias ID = UInt64

  let id: ID
  private let gate: HostGate
  // All transfers share the gate: it is asked no more often than it takes.
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
  /// - Parameter cancel: called when the transfer is revoked in favour of others, on any thread, be it before
  ///   this returns.
  /// - Throws: `FetchError.hostUnhealthy`, for a redirect that must not be followed.
  func begin(
    _ url: RemoteURL, onRevocation cancel: @escaping @Sendable () -> Void
  ) throws(FetchError) -> HostTransfer {
    try gate.begin(url, with: id, onRevocation: cancel)
  }
}

/// One request to a host, which tells the gate how it goes. Over with the last reference to it, at the
/// latest.
final class HostTransfer: Sendable {
  /// Bytes of a body that are worth telling the gate about. Few, so that a slow host is soon known to
  /// deliver.
  static let reportedBytes = 4_096

  let id: HostScheduler.TransferID
  private let gate: HostGate
  private let isOver = Atomic(false)

  init(_ id: HostScheduler.TransferID, from gate: HostGate) {
    self.id = id
    self.gate = gate
  }

  deinit { _ = end(.cancelled, wasRequestSent: false) }

  /// The head of the response has arrived.
  func headArrived() { gate.headArrived(id) }

  /// Another `count` bytes of the body have arrived.
  /// - Parameter withHead: whether the head has arrived just before, and was not told.
  func received(_ count: Int, withHead: Bool) { gate.received(count, withHead: withHead, by: id) }

  /// The transfer is over. Only the first call counts.
  /// - Parameters:
  ///   - wasRequestSent: whether the host had accepted the connection, and the request was sent.
  ///   - withHead: whether the head of the response has arrived, and was not told.
  /// - Returns: why it was revoked; nil if it was not.
  func end(_ error: FetchError?, wasRequestSent: Bool, withHead: Bool = false) -> HostRefusal? {
    if isOver.exchange(true, ordering: .relaxed) { return nil }
    return gate.end(id, error, wasRequestSent: wasRequestSent, withHead: withHead)
  }
}
