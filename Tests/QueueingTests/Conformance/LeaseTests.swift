import BuiltInQueueing
import Queueing
import TestSupport
import Testing

@Suite("Queue: leases", .timeLimit(.minutes(2)))
struct LeaseTests {
  @Test("what is on lease is handed out to nobody else", arguments: BrokerKind.allCases)
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

  @Test("a lease that ran out is somebody else's, and each hand-out counts", arguments: BrokerKind.allCases)
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
    "whoever lost a lease neither settles nor publishes", arguments: BrokerKind.allCases.filter(\.losesLeases)
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
      // Nor does it take anything away from who has it now.
      try await slow.release([stale])
      #expect(try await other.ids(1, waitingUpTo: aMoment) == [])
      try await other.settle(fresh, publishing: [Publication(message(3), into: results)])
      #expect(try await results.contents() == ["m3"])
      #expect(try await slow.contents() == [])
    }
  }

  @Test(
    "a lease that others do not hear of and that nobody has taken is still ours",
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

  @Test("a lease lasts as long as its holder is there", arguments: BrokerKind.allCases)
  func lasting(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let (holder, other) = (try broker.open("incoming"), try broker.open("incoming", lease: .seconds(2)))
      try await holder.publish(0..<2)
      let deliveries = try #require(try await holder.receive(2, waitingUpTo: .zero))
      #expect(try await other.ids(2, waitingUpTo: .seconds(5)) == [])
      for delivery in deliveries { try await holder.settle(delivery, publishing: []) }
      #expect(try await holder.contents() == [])
    }
  }

  @Test(
    "what is given back stands in front, as if it had not been handed out", arguments: BrokerKind.allCases)
  func released(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish(0..<5)
      let deliveries = try #require(try await queue.receive(4, waitingUpTo: .zero))
      try await queue.release([deliveries[1], deliveries[2]])
      let again = try #require(try await broker.open("incoming").receive(10, waitingUpTo: .zero))
      #expect(again.map(\.message.id) == ["m1", "m2", "m4"])
      #expect(again.map(\.attempt) == (kind.forgetsReleases ? [1, 1, 1] : [2, 2, 1]))
      #expect(again[0].receipt != deliveries[1].receipt)
      let failure = await failure { () async throws(QueueError) in
        try await queue.settle(deliveries[1], publishing: [])
      }
      #expect(failure == .leaseLost(id: "m1"))
    }
  }

  @Test("hand-outs are counted as far as anybody believes, whatever a queue and a sender say") func counted()
  {
    for (attempt, crashes, counted) in [
      (1, "0", 1), (2, "3", 5), (-1, "-1", 1), (.max, "2000", 1_000_000), (.max, "\(Int.max)", 1_000_000),
    ] {
      var message = message(1)
      message.headers.append(Header(Message.crashHeader, crashes))
      #expect(Delivery(message: message, attempt: attempt, receipt: "r").attempt == counted)
    }
  }

  @Test("what goes to the end of its queue counts its crashes on", arguments: BrokerKind.allCases)
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

  @Test("a release takes back one hand-out, not those of crashes", arguments: BrokerKind.allCases)
  func attempts(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      try await queue.publish([1])
      _ = try await broker.dieWithNext(of: "incoming")
      let second = try await queue.next()
      // A broker that counts releases too may count those of its own.
      #expect(kind.forgetsReleases ? second.attempt == 2 : second.attempt >= 2)
      try await queue.release([second])
      try await queue.release([second])
      let third = try await queue.next()
      #expect(kind.forgetsReleases ? third.attempt == 2 : third.attempt >= second.attempt)
    }
  }

  @Test(
    "receipts that are none", arguments: BrokerKind.allCases,
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
