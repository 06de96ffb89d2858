import BuiltInQueueing
import Queueing
import TestSupport
import Testing

@Suite("Queue: a broker that is away", .timeLimit(.minutes(5)))
struct OutageTests {
  /// Whether the operation is worth another try.
  private func isUnavailable(_ error: QueueError?) -> Bool {
    if case .unavailable = error { true } else { false }
  }

  @Test(
    "during an outage each operation fails as unavailable, and the same queue continues afterwards",
    arguments: BrokerKind.allCases)
  func outage(kind: BrokerKind) async throws {
    try await kind.withMortalBroker { broker in
      let queues = Queues()
      let source = try broker.open("incoming", in: queues)
      let target = try broker.open("enriched", in: queues)
      try await source.publish(0..<10)
      let deliveries = try #require(try await source.receive(5, waitingUpTo: .zero))
      try await broker.withOutage {
        let failures = [
          await failure { () async throws(QueueError) in _ = try await source.receive(5, waitingUpTo: .zero)
          },
          await failure { () async throws(QueueError) in try await source.publish([99]) },
          await failure { () async throws(QueueError) in try await source.release(deliveries) },
          await failure { () async throws(QueueError) in
            try await source.settle(deliveries[0], publishing: [Publication(message(0), into: target)])
          },
        ]
        for failure in failures { #expect(isUnavailable(failure)) }
      }
      var settled = 0
      for delivery in deliveries { settled += try await settle(delivery, from: source, into: target) }
      // A message that was on lease when the broker went away may be handed out again.
      while settled < 10 { settled += try await settle(source.next(), from: source, into: target) }
      #expect(try await target.contents().sorted() == (0..<10).map { "m\($0)" })
      #expect(try await source.contents() == [])
    }
  }

  /// Settles as a worker does: tries again while the broker is away, and gives up if another
  /// consumer has the delivery by now.
  /// - Returns: how many were settled, 0 or 1.
  private func settle(_ delivery: Delivery, from source: any Queue, into target: any Queue) async throws
    -> Int
  {
    while true {
      do throws(QueueError) {
        try await source.settle(delivery, publishing: [Publication(delivery.message, into: target)])
        return 1
      } catch .leaseLost {
        return 0
      } catch {
        guard isUnavailable(error) else { throw error }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }
}
