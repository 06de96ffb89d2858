/// Receiving from a broker that does not notify.
package enum Polling {
  /// Time between two requests: short compared to processing a payload, long compared to what a request
  /// costs.
  static let interval = Duration.milliseconds(50)

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
