import BuiltInQueueing
import Queueing
import Supporting
import TestSupport
import Testing

/// Messages that are put aside. Only SQLite and Redis can do that.
@Suite("Queue: messages that are put aside", .timeLimit(.minutes(5)))
struct PostponingTests {
  private static let kinds = BrokerKind.allCases.filter { $0 == .sqlite || $0 == .redis }
  private static var past: Int64 { WallClock.milliseconds - 1 }
  private static var later: Int64 { WallClock.milliseconds + 3_600_000 }

  private func open(_ broker: any Broker) throws -> any PostponingSource & Sink {
    try #require(broker.open("incoming") as? any PostponingSource & Sink)
  }

  @Test("a message waits until it is due, also if its worker dies", arguments: kinds)
  func waits(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try open(broker)
      try await queue.publish(0..<2)
      let delivery = try await queue.next()
      try await queue.postpone(delivery, until: WallClock.milliseconds + 5_000, line: nil)
      let other = try open(broker)
      #expect(try await other.ids(10) == ["m1"])
      #expect(try await other.ids(10, waitingUpTo: aMoment) == [])
      let next = try await other.next()
      #expect(next.message == message(0))
      // Being put aside does not count as a hand-out.
      #expect(next.attempt == 1)
      let failure = await failure { () async throws(QueueError) in
        try await queue.settle(delivery, publishing: [])
      }
      #expect(failure == .leaseLost(id: "m0"))
      try await other.settle(next, publishing: [])
      #expect(try await other.contents() == ["m1"])
    }
  }

  @Test("a message that is due is handed out before those that came after it", arguments: kinds)
  func order(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try open(broker)
      try await queue.publish(0..<5)
      let first = try #require(try await queue.receive(3, waitingUpTo: longEnough))
      // The second message is due before the first, but messages that are due keep their order.
      for (delivery, age) in zip(first, [1, 3, 2] as [Int64]) {
        try await queue.postpone(delivery, until: Self.past - age, line: "device")
      }
      #expect(try await queue.ids(10) == ["m0", "m1", "m2", "m3", "m4"])
    }
  }

  @Test("a delivery knows the message of its line that is put aside before it", arguments: kinds)
  func lines(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try open(broker)
      // The name of a line may be any text. No line is mistaken for another whose name begins in the same
      // way.
      let devices = ["a", "a", "a 0", "a", "b", nil, "a"]
      try await queue.publish(
        devices.enumerated().map { number, device in
          Message(id: "m\(number)", body: [], headers: device.map { [Header("device-token", $0)] } ?? [])
        })
      let deliveries = try #require(try await queue.receive(7, waitingUpTo: longEnough))
      let times = [Self.later, Self.past - 5, nil, nil, Self.later + 7, Self.later, nil]
      #expect(try await queue.due(before: deliveries) == Array(repeating: nil, count: 7))
      for (delivery, time) in zip(deliveries, times) {
        guard let time else { continue }
        try await queue.postpone(delivery, until: time, line: delivery.message.line)
      }
      // The last message before a delivery counts, even if it is due.
      let expected = [nil, times[0], nil, times[1], nil, nil, times[1]]
      #expect(try await queue.due(before: deliveries) == expected)
      #expect(try await open(broker).due(before: deliveries) == expected)
      // Takes back the message that is due.
      #expect(try await queue.ids(1) == ["m1"])
      #expect(try await queue.due(before: deliveries) == [nil, times[0], nil, times[0], nil, nil, times[0]])
    }
  }

  @Test("what is put aside is neither waiting nor on lease, and the queue counts as empty", arguments: kinds)
  func counts(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try open(broker)
      try await queue.publish(0..<3)
      let first = try #require(try await queue.receive(2, waitingUpTo: longEnough))
      try await queue.postpone(first[0], until: Self.later, line: nil)
      let backlog = try #require(try await queue.backlog)
      #expect((backlog.waiting, backlog.onLease) == (1, 1))
      #expect(try await !queue.isEmpty)
      try await queue.settle(first[1], publishing: [])
      try await queue.settle(queue.next(), publishing: [])
      #expect(try await queue.isEmpty)
    }
  }

  @Test("a delivery that is lost is not put aside", arguments: kinds)
  func lost(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try open(broker)
      try await queue.publish([1])
      let delivery = try await queue.next()
      try await queue.release([delivery])
      let failure = await failure { () async throws(QueueError) in
        try await queue.postpone(delivery, until: Self.later, line: nil)
      }
      #expect(failure == .leaseLost(id: "m1"))
      #expect(try await queue.ids() == ["m1"])
    }
  }
}
