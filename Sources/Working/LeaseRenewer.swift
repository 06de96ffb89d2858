internal import Queueing

/// Renews the leases of deliveries in flight long before they end; also while draining.
struct LeaseRenewer: Sendable {
  let source: any Queue
  let inFlight: InFlightDeliveries
  let leaseDuration: Duration
  let log: WorkLog

  /// Runs until it is cancelled.
  func run() async {
    while !Task.isCancelled {
      // Three attempts before a lease is lost.
      try? await Task.sleep(for: leaseDuration / 4)
      let deliveries = inFlight.deliveries
      guard !deliveries.isEmpty, !Task.isCancelled else { continue }
      do throws(QueueError) {
        try await source.extend(deliveries)
        log.over(.renewing)
      } catch {
        log.trouble(.renewing, error)
      }
    }
  }
}
