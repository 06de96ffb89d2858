internal import Synchronization

/// Receives from a broker that does not notify. A queue keeps one as long as it is in use, so that the pauses
/// go on growing from one `receive` to the next.
package final class Polling: Sendable {
  private let pause = Mutex(PollingPause())
  private let sleep: @Sendable (Duration) async -> Void

  /// - Parameter sleep: waits. Returns early if the task is cancelled, and may do so if something comes.
  package init(sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }) {
    self.sleep = sleep
  }

  /// Repeats `request` until it returns deliveries or nil, time is up, or the task is cancelled.
  package func poll(
    for duration: Duration, _ request: () async throws(QueueError) -> [Delivery]?
  ) async throws(QueueError) -> [Delivery]? {
    let end = ContinuousClock.now + duration
    while true {
      let deliveries = try await request()
      guard let deliveries, deliveries.isEmpty else {
        pause.withLock { $0 = PollingPause() }
        return deliveries
      }
      let rest = ContinuousClock.now.duration(to: end)
      guard rest > .zero, !Task.isCancelled else { return [] }
      await sleep(min(pause.withLock { $0.next() }, rest))
    }
  }
}

/// Pauses between looks at something that does not notify. They double up to 50 ms, and up to 200 ms once
/// nothing has come for a second. So frequent messages wait only briefly, and looking at an idle queue costs
/// little.
package struct PollingPause: Sendable {
  /// The first pause after messages have come. At 500 messages a second, it lets three be taken at once.
  /// Taken one by one, each would cost twice the processor time (`Tests/Benchmarks/latency`).
  package static let first = Duration.milliseconds(6)
  private static let longest = (busy: Duration.milliseconds(50), idle: Duration.milliseconds(200))

  private var following: Duration
  private var total = Duration.zero

  package init(first: Duration = Self.first) { following = first }

  /// Returns the next pause. Each call means that nothing has come.
  package mutating func next() -> Duration {
    defer {
      total += following
      following = min(following * 2, total < .seconds(1) ? Self.longest.busy : Self.longest.idle)
    }
    return following
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
  /// The look after which all leases belong to live processes. Set when the wait begins. Not a time, because
  /// looks are late on a busy machine.
  private var lastLook: Int?
  private let polling = Polling()

  package init() {}

  /// Returns an empty array if the queue is empty, or if only live processes hold messages. Returns
  /// nil if there will never be any more, once `isStopped` is true, or if the task is cancelled.
  /// - Parameter held: how many messages this process has on lease.
  package mutating func receive(
    _ limit: Int, from queue: any Source, besides held: Int = 0, isStopped: () -> Bool = { false }
  ) async throws(QueueError) -> [Delivery]? {
    var wait = Duration.zero
    while true {
      let looks = queue.lookCount
      let deliveries = try await polling.poll(for: wait) { () async throws(QueueError) in
        isStopped() ? nil : try await queue.receive(limit, waitingUpTo: .zero)
      }
      guard deliveries?.isEmpty == true else { return deliveries }
      // In a cancelled task no wait takes any time: it would only ask the broker over and over.
      if Task.isCancelled { return nil }
      guard let looks, let onLease = try await queue.backlog?.onLease, onLease > held
      else { return deliveries }
      // The first look may find a sign of life from just before the end of its process.
      let lastLook = lastLook ?? looks + 1 + QueueLease.missingSigns
      self.lastLook = lastLook
      if looks >= lastLook { return deliveries }
      wait = .seconds(1)
    }
  }
}
