import Queueing
import TestSupport
import Testing

@Suite("Queue: answers for single messages", .timeLimit(.minutes(5)))
struct AnswerTests {
  private static let answers: [SendResult] = [
    .rejected(Rejection("message-too-large", detail: "too large")),
    .unavailable("not now", after: .seconds(3)),
  ]

  @Test("a message without an answer from its sink counts as not sent") func none() async throws {
    let publication = Publication(message(1), into: Silence())
    let answer = try await [publication].publish()
    #expect(answer == .unavailable("there are answers for 0 of 1 messages", after: nil))
    #expect(!publication.isConfirmed)
    #expect(publication.takeFailure())
  }

  @Test("each message that is sent gets an answer", arguments: BrokerKind.allCases)
  func each(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queue = try broker.open("incoming")
      #expect(try await queue.send([]) == [])
      #expect(try await queue.send([message(1), message(2), message(3)]) == [.sent, .sent, .sent])
      #expect(try await queue.contents() == ["m1", "m2", "m3"])
    }
  }

  @Test(
    "a message that a sink refuses stays on lease, and what other sinks accepted is not sent again",
    arguments: BrokerKind.allCases, answers)
  func notTaken(kind: BrokerKind, answer: SendResult) async throws {
    try await kind.withBroker { broker in
      let (source, beside) = (try broker.open("incoming"), try broker.open("dead"))
      let picky = picky("m3", answer)
      try await source.publish([1])
      let delivery = try await source.next()
      let publications = [
        Publication(message(2), into: beside), Publication(message(3), into: picky),
        Publication(message(4), into: beside),
      ]
      for _ in 0..<2 {
        #expect(try await source.settle(delivery, publishing: publications) == answer)
        #expect(publications.map { $0.takeFailure() } == [false, true, false])
      }
      #expect(publications.isBegun)
      #expect(try await beside.contents() == ["m2"])
      #expect(try await source.ids(1, waitingUpTo: aMoment) == [])
      let rest = [publications[0], publications[2]]
      #expect(try await source.settle(delivery, publishing: rest) == .sent)
      #expect(try await beside.contents() == ["m2", "m4"])
      #expect(try await picky.contents() == [])
      #expect(try await source.contents() == [])
    }
  }

  @Test("a line whose result is refused is settled again, before later lines", arguments: answers)
  func line(answer: SendResult) async throws {
    try await withLineQueue { queue, ends in
      try ends.write("1\n2\n")
      let deliveries = try #require(try await queue.receive(2, waitingUpTo: longEnough))
      let first = [Publication(deliveries[0].message, into: picky(deliveries[0].message.id, answer))]
      let target = picky("", answer)
      let later = Task {
        try await queue.settle(deliveries[1], publishing: [Publication(message(2), into: target)])
      }
      for _ in 0..<2 { #expect(try await queue.settle(deliveries[0], publishing: first) == answer) }
      #expect(try await target.contents() == [])
      try await queue.settle(deliveries[0], publishing: [])
      #expect(try await later.value == .sent)
      #expect(try await target.contents() == ["m2"])
    }
  }

  /// A queue that accepts all messages but one.
  private func picky(_ id: String, _ answer: SendResult) -> MemoryQueue {
    MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "picky") { $0.id == id ? answer : .sent }
  }

  @Test("for callers without dead letters, a refusal is an error") func asError() {
    let errors = Self.answers.map { answer in
      #expect(throws: QueueError.self) { try answer.orThrow() }
    }
    #expect(errors == [.refused("too large"), .unavailable("not now")])
  }

  @Test("a lease that has run out belongs to another consumer, unless it is extended") func leases()
    async throws
  {
    let store = "leases-\(UInt64.random(in: 0...UInt64.max))"
    let queue = MemoryQueue(store, "x", leaseTime: .seconds(3))
    let other = MemoryQueue(store, "x")
    try await queue.publish(0..<2)
    let deliveries = try #require(try await queue.receive(2, waitingUpTo: .zero))
    let isHandedOut = try await eventually {
      try await queue.extend([deliveries[0]])
      return try await other.ids() == ["m1"]
    }
    #expect(isHandedOut)
    #expect(try await queue.settle(deliveries[0], publishing: []) == .sent)
    await #expect(throws: QueueError.leaseLost(id: "m1")) {
      try await queue.settle(deliveries[1], publishing: [])
    }
  }
}

/// A sink with a defect: it returns no answers.
private struct Silence: Sink {
  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] { [] }
}
