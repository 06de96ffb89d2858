import BuiltInQueueing
import Queueing
import TestSupport
import Testing

@Suite("Queue: settling", .timeLimit(.minutes(5)))
struct SettlingTests {
  @Test("a settled message is gone, for everybody and for good", arguments: BrokerKind.allCases)
  func gone(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.openUnheard("incoming")
      try await queue.publish(0..<2)
      let deliveries = try #require(try await queue.receive(1, waitingUpTo: .zero))
      try await queue.settle(deliveries[0], publishing: [])
      #expect(try await broker.open("incoming").contents() == ["m1"])
      #expect(try await queue.next().message.id == "m1")
      let failure = await failure { () async throws(QueueError) in
        try await queue.settle(deliveries[0], publishing: [])
      }
      #expect(failure == .leaseLost(id: "m0"))
    }
  }

  @Test(
    "results go into other queues of the same broker, and into the source itself",
    arguments: BrokerKind.allCases)
  func publishing(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queues = Queues()
      let source = try broker.open("incoming", in: queues)
      let target = try broker.open("enriched", in: queues)
      let dead = try broker.open("dead", in: queues)
      try await source.publish(0..<2)
      let delivery = try await source.next()
      var result = delivery.message
      result.body = [1, 2, 3]
      result.headers.append(Header("outcome", "enriched"))
      try await source.settle(
        delivery,
        publishing: [
          Publication(result, into: target), Publication(message(10), into: dead),
          Publication(message(11), into: target), Publication(message(12), into: source),
        ])
      #expect(try await target.browse(10) == [result, message(11)])
      #expect(try await dead.browse(10) == [message(10)])
      #expect(try await source.ids() == ["m1", "m12"])
    }
  }

  @Test("results go into a queue of another broker", arguments: BrokerKind.allCases, BrokerKind.allCases)
  func elsewhere(kind: BrokerKind, other: BrokerKind) async throws {
    try await kind.withBroker { broker in
      try await other.withBroker { otherBroker in
        let source = try broker.openUnheard("incoming")
        let beside = try broker.open("dead")
        let target = try otherBroker.open("enriched")
        try await source.publish([1])
        let delivery = try await source.next()
        try await source.settle(
          delivery,
          publishing: [Publication(message(2), into: target), Publication(message(3), into: beside)])
        #expect(try await source.contents() == [])
        #expect(try await target.contents() == ["m2"])
        #expect(try await beside.contents() == ["m3"])

        guard kind.losesLeases else { return }
        try await source.publish([4])
        let stale = try await source.next()
        broker.loseSight()
        _ = try await broker.open("incoming").next()
        let failure = await failure { () async throws(QueueError) in
          try await source.settle(stale, publishing: [Publication(message(5), into: target)])
        }
        #expect(failure == .leaseLost(id: "m4"))
        #expect(try await target.contents() == ["m2"])
      }
    }
  }

  @Test("if a result cannot be published, the message stays on lease", arguments: BrokerKind.allCases)
  func refused(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let source = try broker.open("incoming")
      try await source.publish([1])
      let delivery = try await source.next()
      let failure = await failure { () async throws(QueueError) in
        try await source.settle(delivery, publishing: [Publication(message(2), into: FullQueue())])
      }
      #expect(failure == FullQueue.error)
      #expect(try await source.ids(1, waitingUpTo: aMoment) == [])
      try await source.settle(delivery, publishing: [])
      #expect(try await source.contents() == [])
    }
  }

  @Test(
    "results that are published together fail together, and the error says so",
    arguments: BrokerKind.allCases.filter(\.settlesAtOnce))
  func together(kind: BrokerKind) async throws {
    try await kind.withMortalBroker { broker in
      let queues = Queues()
      let source = try broker.open("incoming", in: queues)
      let publications = try ["dead", "enriched"].map {
        Publication(message(2), into: try broker.open($0, in: queues))
      }
      try await source.publish([1])
      let delivery = try await source.next()
      try await broker.withOutage {
        let failure = await failure { () async throws(QueueError) in
          try await source.settle(delivery, publishing: publications)
        }
        #expect(failure != nil)
        #expect(publications.map { $0.takeFailure() } == [true, true])
      }
      try await source.settle(delivery, publishing: publications)
      #expect(publications.map { $0.takeFailure() } == [false, false])
    }
  }

  #if Redis
    @Test("if one of several streams is refused, the error names it")
    func oneOfTogether() async throws {
      try await withRedisServer { server in
        let queues = Queues()
        let source = try queues.open(server.url("incoming"), defaultQueue: "x")
        let publications = try ["dead", "enriched"].map {
          Publication(message(2), into: try queues.open(server.url($0), defaultQueue: "x"))
        }
        try await source.publish([1])
        let delivery = try await source.next()
        try await server.command(["SET", "enriched", "text"])
        let failure = await failure { () async throws(QueueError) in
          try await source.settle(delivery, publishing: publications)
        }
        #expect(failure == .refused("the key enriched of \(server.name) is not a stream: name another key"))
        #expect(publications.map { $0.takeFailure() } == [false, true])
      }
    }
  #endif

  @Test(
    "while a queue accepts nothing, later targets get nothing, and earlier ones get a result once",
    arguments: BrokerKind.allCases)
  func inOrder(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queues = Queues()
      let source = try broker.open("incoming", in: queues)
      let dead = try broker.open("dead", in: queues)
      let target = try broker.open("enriched", in: queues)
      try await source.publish([1])
      let delivery = try await source.next()
      let full = Publication(message(3), into: FullQueue())
      let (first, last) = (Publication(message(2), into: dead), Publication(message(4), into: target))
      for _ in 0..<3 {
        let failure = await failure { () async throws(QueueError) in
          try await source.settle(delivery, publishing: [first, full, last])
        }
        #expect(failure == FullQueue.error)
      }
      #expect(try await dead.contents() == ["m2"])
      #expect(try await target.contents() == [])
      try await source.settle(delivery, publishing: [first, last])
      #expect(try await dead.contents() == ["m2"])
      #expect(try await target.contents() == ["m4"])
      #expect(try await source.contents() == [])
    }
  }
}

/// A queue that accepts nothing.
struct FullQueue: Sink {
  static let error = QueueError.unavailable("full")

  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] { throw Self.error }
}
