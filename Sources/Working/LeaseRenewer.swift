internal import Queueing

/// Starts the leases of what is in flight anew, long before they run out; also while draining.
struct LeaseRenewer: Sendable {
  let source: any Queue
  let inFlight: InFlightDeliveries
  let leaseDuration: Duration
  let log: WorkLog

  /// Runs until it is cancelled.
  func run() async {
    while !Task.isCancelled {
      // Three chances before a lease is lost.
      try? await Task.sleep(for: leaseDuration / 4)
      let deliveries = inFlight.deliveries
      guard !deliveries.isEmpty, !Task.isCancelled else { continue }
      do throws(QueueError) {
        try await source.extend(deliveries)
      } catch {
        log.trouble("leases cannot be renewed, trying again", error)
      }
    }
  }
}
