/// Waiting for messages in a queue that does not call.
package enum Patience {
  /// Between two looks: short against what a payload takes, long against what a look costs.
  static let pause = Duration.milliseconds(50)

  /// Asks again until there is something, or `patience` is over, or the task is cancelled.
  package static func wait(
    _ patience: Duration, for look: () async throws(QueueError) -> [Delivery]?
  ) async throws(QueueError) -> [Delivery]? {
    let end = ContinuousClock.now + patience
    while true {
      let deliveries = try await look()
      guard let deliveries, deliveries.isEmpty else { return deliveries }
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero, !Task.isCancelled else { return [] }
      try? await Task.sleep(for: min(pause, rest))
    }
  }
}
