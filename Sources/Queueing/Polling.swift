/// Receiving from a broker that does not notify.
package enum Polling {
  /// Time between two requests: short compared to processing a payload, long compared to what a request
  /// costs.
  private static let interval = Duration.milliseconds(50)

  /// Repeats `request` until it returns something or nil, `duration` is over, or the task is cancelled.
  package static func poll(
    for duration: Duration, _ request: () async throws(QueueError) -> [Delivery]?
  ) async throws(QueueError) -> [Delivery]? {
    let end = ContinuousClock.now + duration
    while true {
      let deliveries = try await request()
      guard let deliveries, deliveries.isEmpty else { return deliveries }
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero, !Task.isCancelled else { return [] }
      try? await Task.sleep(for: min(interval, rest))
    }
  }
}

/// Pauses between attempts at something unavailable: 0.1 s at first, doubled each time, at most 5 s, and each
/// shortened at random by up to half.
package struct Backoff: Sendable {
  private var longest = Duration.milliseconds(100)

  package init() {}

  /// How long to pause now. Each call counts as a failed attempt.
  package mutating func next() -> Duration {
    defer { longest = min(longest * 2, .seconds(5)) }
    return longest * Double.random(in: 0.5...1)
  }
}

/// Receives for a command that ends when its queue is empty, and waits for what a process had that was killed.
package struct LastDeliveries {
  /// When it has waited long enough, once it waits: whatever is on lease then is with a live process.
  private var end: ContinuousClock.Instant?

  package init() {}

  /// - Parameters:
  ///   - held: how many messages this process has on lease.
  ///   - isStopped: whether to wait no longer.
  /// - Returns: none if the queue is empty, or only others hold what is in it; nil if there will never be any
  ///   again, or when stopped.
  package mutating func receive(
    _ limit: Int, from queue: any Source, besides held: Int = 0, isStopped: () -> Bool = { false }
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
