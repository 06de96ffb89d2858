internal import Queueing

/// A worker prefetches through lasting subscriptions (`TakingChannel+Subscribing.swift`).
extension RabbitMQQueue: PrefetchingSource {
  func prefetch(upTo prefetch: Prefetch) { client.prefetch = prefetch }

  /// From now on, settled messages bring no others. Those that are on their way still arrive.
  func stopReceiving() async {
    client.prefetch = nil
    _ = try? await client.useCurrent { (session) throws(QueueError) in try session.taking.endSubscriptions() }
  }

  func receiveRest(_ limit: Int, waits: Bool) async throws(QueueError) -> [Delivery]? {
    client.prefetch = nil
    // If the connection ends, all that has arrived is back in the queue.
    let rest = try? await client.useCurrent { (session) throws(QueueError) in try session.receiveRest(limit) }
    guard let rest, let deliveries = rest else { return nil }
    return deliveries.isEmpty && !waits ? nil : deliveries
  }
}
