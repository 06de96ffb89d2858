/// Receives for a command that ends when its queue is empty, and waits for what a process had that was killed.
package struct LastDeliveries {
  /// When it has waited long enough, once it waits: whatever is on lease then is with a live process.
  private var end: ContinuousClock.Instant?

  package init() {}

  /// - Parameters:
  ///   - held: how many messages this process has on lease.
  ///   - isStopped: whether to wait no longer.
  /// - Returns: none when the queue is empty, or only others hold what is in it; nil when there will never be any
  ///   again, or when stopped.
  package mutating func receive(
    _ limit: Int, from queue: any Queue, besides held: Int = 0, isStopped: () -> Bool = { false }
  ) async throws(QueueError) -> [Delivery]? {
    var wait = Duration.zero
    while true {
      let deliveries = try await Polling.poll(for: wait) { () async throws(QueueError) in
        isStopped() ? nil : try await queue.receive(limit, waitingUpTo: .zero)
      }
      guard deliveries?.isEmpty == true, queue.takeoverTime > .zero,
        let onLease = try await queue.backlog?.onLease, onLease > held
      else { return deliveries }
      let end = end ?? .now + queue.takeoverTime
      self.end = end
      wait = min(ContinuousClock.now.duration(to: end), .seconds(1))
      if wait <= .zero { return deliveries }
    }
  }
}
