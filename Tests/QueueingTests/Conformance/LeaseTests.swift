import BuiltInQueueing
import Queueing
import TestSupport
import Testing

@Suite("Queue: leases", .timeLimit(.minutes(5)))
struct LeaseTests {
  @Test("a message on lease is not handed out again", arguments: BrokerKind.allCases)
  func exclusive(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let (one, other) = (try broker.open("incoming"), try broker.open("incoming"))
      try await one.publish(0..<4)
      #expect(try await one.ids(2) == ["m0", "m1"])
      #expect(try await other.ids() == ["m2", "m3"])
      #expect(try await one.ids(10, waitingUpTo: aMoment) == [])
      #expect(try await other.ids(10, waitingUpTo: aMoment) == [])
    }
  }

  @Test(
    "a message whose lease ran out is handed out again, and each hand-out counts",
    arguments: BrokerKind.allCases)
  func expired(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish([1])
      for attempt in 1...3 {
        let delivery = try await broker.dieWithNext(of: "incoming")
        #expect(delivery.message == message(1))
        #expect(delivery.attempt == attempt)
      }
      #expect(try await queue.next().attempt == 4)
      #expect(try await broker.open("incoming").ids(1, waitingUpTo: aMoment) == [])
    }
  }

  @Test(
    "a new consumer that keeps the order takes what ended processes held before the rest",
    arguments: [BrokerKind.memory] + BrokerKind.allCases.filter(\.losesLeases))
  func order(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      try await broker.open("incoming").publish(0..<6)
      #expect(try await broker.open("incoming").ids(2) == ["m0", "m1"])
      // The thread of an SQLite queue may hold its lock a moment longer than the caller holds the queue.
      broker.loseSight()
      let queue = try broker.open("incoming", in: Queues(leaseDuration: .seconds(2), keepsOrder: true))
      var ids: [String] = []
      while ids.count < 6 {
        ids += try #require(try await queue.receive(2, waitingUpTo: longEnough)).map(\.message.id)
      }
      #expect(ids == (0..<6).map { "m\($0)" })
    }
  }

  @Test(
    "a consumer that lost its lease neither settles nor publishes",
    arguments: BrokerKind.allCases.filter(\.losesLeases)
  )
  func lost(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let slow = try broker.openUnheard("incoming")
      let results = try broker.open("enriched")
      try await slow.publish([1])
      let stale = try await slow.next()
      broker.loseSight()
      let other = try broker.open("incoming")
      let fresh = try await other.next()

      let lost = QueueError.leaseLost(id: "m1")
      let failure = await failure { () async throws(QueueError) in
        try await slow.settle(stale, publishing: [Publication(message(2), into: results)])
      }
      #expect(failure == lost)
      #expect(try await results.contents() == [])
      // It does not take the message from its new holder either.
      try await slow.release([stale])
      #expect(try await other.ids(1, waitingUpTo: aMoment) == [])
      try await other.settle(fresh, publishing: [Publication(message(3), into: results)])
      #expect(try await results.contents() == ["m3"])
      #expect(try await slow.contents() == [])
    }
  }

  @Test(
    "a holder that others hear nothing of keeps its lease until somebody takes the message",
    arguments: BrokerKind.allCases)
  func late(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.openUnheard("incoming")
      try await queue.publish([1])
      let delivery = try await queue.next()
      broker.loseSight()
      try await queue.settle(delivery, publishing: [])
      #expect(try await queue.contents() == [])
    }
  }

  @Test("a lease lasts for as long as its holder exists", arguments: BrokerKind.allCases)
  func lasting(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let (holder, other) = (try broker.open("incoming"), try broker.open("incoming", lease: .seconds(2)))
      try await holder.publish(0..<2)
      let deliveries = try await holder.take(2)
      #expect(try await other.ids(2, waitingUpTo: .seconds(5)) == [])
      for delivery in deliveries { try await holder.settle(delivery, publishing: []) }
      #expect(try await holder.contents() == [])
    }
  }

  @Test(
    "a message that is given back is first in its queue, as if it had not been handed out",
    arguments: BrokerKind.allCases)
  func released(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish(0..<5)
      let deliveries = try await queue.take(4)
      try await queue.release([deliveries[1], deliveries[2]])
      // A busy quorum queue takes them back a moment later.
      #expect(try await eventually { try await queue.backlog?.waiting == 3 })
      let other = try broker.open("incoming")
      let again = try await other.take(3)
      #expect(try await other.ids() == [])
      #expect(again.map(\.message.id) == ["m1", "m2", "m4"])
      #expect(again.map(\.attempt) == (kind.forgetsReleases ? [1, 1, 1] : [2, 2, 1]))
      #expect(again[0].receipt != deliveries[1].receipt)
      let failure = await failure { () async throws(QueueError) in
        try await queue.settle(deliveries[1], publishing: [])
      }
      #expect(failure == .leaseLost(id: "m1"))
    }
  }

  @Test("hand-outs are counted up to a plausible maximum, whatever a queue and a sender claim") func counted()
  {
    for (attempt, crashes, counted) in [
      (1, "0", 1), (2, "3", 5), (-1, "-1", 1), (.max, "2000", 1_000_000), (.max, "\(Int.max)", 1_000_000),
    ] {
      var message = message(1)
      message.headers.append(Header(Message.crashHeader, crashes))
      #expect(Delivery(message: message, attempt: attempt, receipt: "r").attempt == counted)
    }
  }

  @Test("a message that goes to the end of its queue keeps its crash count", arguments: BrokerKind.allCases)
  func requeued(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish([1])
      _ = try await broker.dieWithNext(of: "incoming")
      var delivery = try await queue.next()
      for number in 2...4 {
        #expect(delivery.message == message(1))
        #expect(delivery.attempt == 2)
        try await queue.publish([number])
        try await queue.requeue(delivery)
        let other = try await queue.next()
        #expect(other.message == message(number))
        #expect(other.attempt == 1)
        delivery = try await queue.next()
      }
      try await queue.requeue(delivery)
      _ = try await broker.dieWithNext(of: "incoming")
      #expect(try await queue.next().attempt == 3)
    }
  }

  @Test(
    "a release takes back one hand-out, but not those that ended in crashes", arguments: BrokerKind.allCases)
  func attempts(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish([1])
      _ = try await broker.dieWithNext(of: "incoming")
      let second = try await queue.next()
      // A broker that counts releases may also count this one.
      #expect(kind.forgetsReleases ? second.attempt == 2 : second.attempt >= 2)
      try await queue.release([second])
      try await queue.release([second])
      let third = try await queue.next()
      #expect(kind.forgetsReleases ? third.attempt == 2 : third.attempt >= second.attempt)
    }
  }

  @Test(
    "invalid receipts are refused", arguments: BrokerKind.allCases,
    ["", "1", "nonsense", "-1-0", "99999999999999999999-1"])
  func foreign(kind: BrokerKind, receipt: String) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish([1])
      let invented = Delivery(message: message(1), attempt: 1, receipt: receipt)
      try await queue.release([invented])
      let failure = await failure { () async throws(QueueError) in
        try await queue.settle(invented, publishing: [])
      }
      #expect(failure == .leaseLost(id: "m1"))
      #expect(try await queue.ids() == ["m1"])
    }
  }
}
