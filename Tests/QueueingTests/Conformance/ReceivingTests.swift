import BuiltInQueueing
import Queueing
import TestSupport
import Testing

@Suite("Queue: receiving", .timeLimit(.minutes(5)))
struct ReceivingTests {
  @Test("messages come oldest first, and no more than asked for", arguments: BrokerKind.allCases)
  func order(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish(0..<60)
      try await queue.publish(60..<100)
      var received: [String] = []
      for limit in [1, 29, 70] {
        let ids = try await queue.ids(limit)
        #expect(ids.count == limit)
        received += ids
      }
      #expect(received == (0..<100).map { "m\($0)" })
      #expect(try await queue.ids() == [])
    }
  }

  /// RabbitMQ is excluded because it counts releases. See `SlowBrokerTests`.
  @Test(
    "fewer long messages come than asked for, and the others come next",
    arguments: BrokerKind.allCases.filter(\.forgetsReleases))
  func long(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      let long = (0..<8).map { Message(id: "m\($0)", body: [UInt8](repeating: 1, count: 100_000)) }
      try await queue.publish(long)
      var received: [Delivery] = []
      for count in [3, 3, 2, 0] {
        let deliveries = try #require(try await queue.receive(8, waitingUpTo: .zero))
        #expect(deliveries.count == count)
        received += deliveries
      }
      #expect(received.map(\.message) == long)
      #expect(received.allSatisfy { $0.attempt == 1 })
      // The same holds for messages that were released.
      try await queue.release(received)
      #expect(try await queue.receive(8, waitingUpTo: .zero)?.map(\.message) == Array(long[..<3]))
    }
  }

  @Test("if there are fewer messages than asked for, all of them come", arguments: BrokerKind.allCases)
  func fewer(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish(0..<3)
      #expect(try await queue.ids(64, waitingUpTo: longEnough) == ["m0", "m1", "m2"])
      try await queue.publish([])
      #expect(try await queue.receive(0, waitingUpTo: .zero) == [])
    }
  }

  @Test("an empty queue is waited on, and does not count as ended", arguments: BrokerKind.allCases)
  func empty(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      #expect(try await queue.receive(1, waitingUpTo: .zero) == [])
      #expect(try await queue.receive(1, waitingUpTo: aMoment) == [])
      let sender = try broker.open("incoming")
      async let received = queue.ids(64, waitingUpTo: longEnough)
      try await Task.sleep(for: aMoment)
      try await sender.publish([7])
      #expect(try await received == ["m7"])
    }
  }

  @Test("a cancelled task stops waiting", arguments: BrokerKind.allCases)
  func cancelled(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      let waiting = Task { try await queue.receive(1, waitingUpTo: .seconds(3_600)) }
      try await Task.sleep(for: aMoment)
      waiting.cancel()
      #expect(try await waiting.value == [])
    }
  }

  @Test("queues of one broker do not see each other's messages", arguments: BrokerKind.allCases)
  func apart(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queues = Queues()
      let first = try broker.open("first", in: queues)
      let second = try broker.open("second", in: queues)
      try await first.publish([1, 2])
      try await second.publish([3])
      #expect(try await second.ids() == ["m3"])
      #expect(try await first.ids() == ["m1", "m2"])
    }
  }

  @Test("browsing takes no messages", arguments: BrokerKind.allCases)
  func browsing(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("dead")
      #expect(try await queue.browse(10) == [])
      try await queue.publish(0..<5)
      #expect(try await queue.browse(3) == [message(0), message(1), message(2)])
      #expect(try await queue.browse(0) == [])
      #expect(
        try await queue.take(5).map(\.attempt)
          == (kind.forgetsReleases ? [1, 1, 1, 1, 1] : [2, 2, 2, 1, 1]))
    }
  }
}
