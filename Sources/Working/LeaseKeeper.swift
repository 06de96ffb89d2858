internal import Queueing

/// Starts the leases of what is in flight anew, long before they run out; also while draining.
struct LeaseKeeper: Sendable {
  let source: any Queue
  let desk: Desk
  let leaseDuration: Duration
  let log: WorkLog

  /// Runs until it is cancelled.
  func run() async {
    while !Task.isCancelled {
      // Three chances before a lease is lost.
      try? await Task.sleep(for: leaseDuration / 4)
      let deliveries = desk.deliveries
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
