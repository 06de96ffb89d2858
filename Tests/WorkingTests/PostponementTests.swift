import BuiltInQueueing
import Queueing
import Supporting
import TestSupport
import Testing

@testable import Working

/// Which of its messages a worker puts aside.
@Suite("What is put aside", .timeLimit(.minutes(5)))
struct PostponementTests {
  private static let inFlight = InFlightDeliveries(limit: 8, transfers: 8, memory: 12_000_000)

  private static func message(_ id: String, to device: String, at time: Int64? = nil) -> Message {
    var headers = [Header("device-token", device)]
    // The only time stamps are those of now, and this one in the year 2100.
    if time != nil { headers.append(Header("send-at", "2100-01-01T00:00:00Z")) }
    return Message(id: id, body: Array("{}".utf8), headers: headers)
  }

  private static func withQueue(
    _ kind: BrokerKind = .sqlite, _ body: (any PostponingSource & Sink, Postponement) async throws -> Void
  ) async throws {
    try await kind.withBroker { broker in
      let queue = try #require(try broker.open("incoming", in: Queues()) as? any PostponingSource & Sink)
      try await body(queue, try #require(Postponement(queue, sendsToDevices: true)))
    }
  }

  private static func take(
    _ limit: Int, of queue: any PostponingSource, _ postponement: Postponement
  ) async throws -> [Delivery] {
    let deliveries = try await queue.receive(limit, waitingUpTo: .zero) ?? []
    return try await postponement.sift(deliveries, among: inFlight)
  }

  @Test("many messages of a device that are due come out, few at a time") func many() async throws {
    try await Self.withQueue { queue, postponement in
      try await queue.publish((0..<10).map { Self.message("m\($0)", to: "aa") })
      for delivery in try #require(try await queue.receive(10, waitingUpTo: .zero)) {
        try await queue.postpone(delivery, until: WallClock.milliseconds - 1, line: delivery.message.line)
      }
      var ids: [String] = []
      for _ in 0..<5 { ids += try await Self.take(2, of: queue, postponement).map(\.message.id) }
      #expect(ids == (0..<10).map { "m\($0)" })
    }
  }

  @Test(
    "a message that waited longer than those behind it still comes first, few at a time",
    arguments: [BrokerKind.sqlite, .redis])
  func longer(kind: BrokerKind) async throws {
    try await Self.withQueue(kind) { queue, postponement in
      try await queue.publish((0..<4).map { Self.message("m\($0)", to: "aa") })
      let deliveries = try #require(try await queue.receive(4, waitingUpTo: .seconds(5)))
      // The first message was put aside twice.
      for (delivery, age) in zip(deliveries, [1, 3, 2, 4] as [Int64]) {
        try await queue.postpone(delivery, until: WallClock.milliseconds - age, line: delivery.message.line)
      }
      var ids: [String] = []
      for _ in 0..<20 { ids += try await Self.take(1, of: queue, postponement).map(\.message.id) }
      #expect(ids == (0..<4).map { "m\($0)" })
    }
  }

  @Test("a message with a time does not hold up the others of its device") func own() async throws {
    try await Self.withQueue { queue, postponement in
      try await queue.publish([
        Self.message("now", to: "aa"), Self.message("later", to: "aa", at: 1), Self.message("next", to: "aa"),
      ])
      let first = try await Self.take(1, of: queue, postponement)
      #expect(first.map(\.message.id) == ["now"])
      try await postponement.postpone(first[0], for: .seconds(3))
      // Both messages wait, but the third one waits only for the first.
      #expect(try await Self.take(10, of: queue, postponement).isEmpty)
      #expect(
        try await eventually {
          try await Self.take(10, of: queue, postponement).map(\.message.id) == ["now", "next"]
        })
      #expect(try await queue.isEmpty == false)
    }
  }

  @Test("of many messages, those with a time are put aside, and the others are due") func times()
    async throws
  {
    try await Self.withQueue { queue, postponement in
      try await queue.publish(
        (0..<100).map { Self.message("m\($0)", to: "a\($0)", at: $0.isMultiple(of: 2) ? 1 : nil) })
      let due = try await Self.take(100, of: queue, postponement)
      #expect(due.map(\.message.id) == (0..<50).map { "m\($0 * 2 + 1)" })
      #expect(try await Self.take(100, of: queue, postponement).isEmpty)
    }
  }

  @Test("if they cannot be put aside, all are given back") func failing() async throws {
    try await Self.withQueue { queue, _ in
      let source = FailingSource(queue)
      let postponement = try #require(Postponement(source, sendsToDevices: true))
      try await queue.publish((0..<4).map { Self.message("m\($0)", to: "a\($0)", at: $0 < 2 ? 1 : nil) })
      let error = await #expect(throws: QueueError.self) {
        try await Self.take(4, of: source, postponement)
      }
      #expect(error == .refused("no"))
      let again = try #require(try await queue.receive(4, waitingUpTo: .zero))
      #expect(again.map(\.message.id) == (0..<4).map { "m\($0)" })
    }
  }

  @Test("queues that put nothing aside have no postponement") func others() throws {
    let lines = try Queues().open("-", defaultQueue: "q")
    #expect(Postponement(lines, sendsToDevices: true) == nil)
  }
}

/// A queue that puts nothing aside, although it says that it does.
private struct FailingSource: PostponingSource {
  private let queue: any PostponingSource

  init(_ queue: any PostponingSource) { self.queue = queue }

  func postpone(_ delivery: Delivery, until due: Int64, line: String?) async throws(QueueError) {
    throw .refused("no")
  }
  func due(before deliveries: [Delivery]) async throws(QueueError) -> [Int64?] {
    try await queue.due(before: deliveries)
  }
  func receive(
    _ limit: Int, waitingUpTo duration: Duration
  ) async throws(QueueError) -> [Delivery]? { try await queue.receive(limit, waitingUpTo: duration) }
  func release(_ deliveries: [Delivery]) async throws(QueueError) { try await queue.release(deliveries) }
  func requeue(_ delivery: Delivery) async throws(QueueError) { try await queue.requeue(delivery) }
  func settle(
    _ delivery: Delivery, publishing: [Publication]
  ) async throws(QueueError) -> SendResult { try await queue.settle(delivery, publishing: publishing) }
  func browse(_ limit: Int) async throws(QueueError) -> [Message] { try await queue.browse(limit) }
}
