/// Receives from a broker that does not notify.
package enum Polling {
  /// Short compared to processing a payload, long compared to a request.
  private static let interval = Duration.milliseconds(50)

  /// Repeats `request` until it returns deliveries or nil, time is up, or the task is cancelled.
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

/// Pauses between attempts: from 0.1 s, doubling up to 5 s, each randomly shortened by up to half.
package struct Backoff: Sendable {
  private var longest = Duration.milliseconds(100)

  package init() {}

  /// Returns the next pause. Each call counts as a failed attempt.
  package mutating func next() -> Duration {
    defer { longest = min(longest * 2, .seconds(5)) }
    return longest * Double.random(in: 0.5...1)
  }
}

/// Receives until the queue is empty, and waits for the messages of a killed process.
package struct LastDeliveries {
  /// When to stop waiting: by then, all leases belong to live processes. Set when the wait begins.
  private var end: ContinuousClock.Instant?

  package init() {}

  /// Returns an empty array if the queue is empty, or if only live processes hold messages. Returns
  /// nil if there will never be any more, once `isStopped` is true, or if the task is cancelled.
  /// - Parameter held: how many messages this process has on lease.
  package mutating func receive(
    _ limit: Int, from queue: any Source, besides held: Int = 0, isStopped: () -> Bool = { false }
  ) async throws(QueueError) -> [Delivery]? {
    var wait = Duration.zero
    while true {
      let deliveries = try await Polling.poll(for: wait) { () async throws(QueueError) in
        isStopped() ? nil : try await queue.receive(limit, waitingUpTo: .zero)
      }
      guard deliveries?.isEmpty == true else { return deliveries }
      // In a cancelled task no wait takes any time: it would only ask the broker over and over.
      if Task.isCancelled { return nil }
      guard queue.takeoverTime > .zero,
        let onLease = try await queue.backlog?.onLease, onLease > held
      else { return deliveries }
      let end = end ?? .now + queue.takeoverTime
      self.end = end
      wait = min(ContinuousClock.now.duration(to: end), .seconds(1))
      if wait <= .zero { return deliveries }
    }
  }
}
