import BuiltInQueueing
import Queueing
import TestSupport
import Testing

@Suite("Queue: several consumers", .timeLimit(.minutes(5)))
struct SharingTests {
  @Test("consumers share the work, and no message is settled twice", arguments: BrokerKind.allCases)
  func sharing(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      try await broker.open("incoming").publish(0..<400)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let queues = Queues()
            let source = try broker.open("incoming", in: queues)
            let target = try broker.open("enriched", in: queues)
            while let deliveries = try await source.receive(7, waitingUpTo: .zero), !deliveries.isEmpty {
              try await settle(deliveries, from: source, into: target)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await broker.open("enriched").contents().sorted() == (0..<400).map { "m\($0)" }.sorted())
      #expect(try await broker.open("incoming").contents() == [])
    }
  }

  @Test("consumers take messages while others are still publishing", arguments: BrokerKind.allCases)
  func flowing(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      try await withThrowingTaskGroup(of: [String].self) { group in
        for sender in 0..<3 {
          group.addTask {
            let queue = try broker.open("incoming")
            for number in 0..<50 { try await queue.publish([sender * 100 + number]) }
            return []
          }
        }
        group.addTask {
          let queue = try broker.open("incoming")
          var received: [String] = []
          while received.count < 150, let deliveries = try await queue.receive(16, waitingUpTo: longEnough) {
            if deliveries.isEmpty { throw NothingCame() }
            received += deliveries.map(\.message.id)
            for delivery in deliveries { try await queue.settle(delivery, publishing: []) }
          }
          return received
        }
        let received = try await group.reduce([]) { $0 + $1 }
        #expect(received.sorted() == (0..<3).flatMap { s in (0..<50).map { "m\(s * 100 + $0)" } }.sorted())
        // Messages of one sender come in the order in which they were sent.
        for sender in 0..<3 {
          let own = received.compactMap { Int($0.dropFirst()) }.filter { $0 / 100 == sender }
          #expect(own == own.sorted())
        }
      }
    }
  }

  /// Settles all deliveries at once, as a worker does.
  private func settle(_ deliveries: [Delivery], from source: any Queue, into target: any Queue) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for delivery in deliveries {
        group.addTask {
          try await source.settle(delivery, publishing: [Publication(delivery.message, into: target)])
        }
      }
      try await group.waitForAll()
    }
  }
}
