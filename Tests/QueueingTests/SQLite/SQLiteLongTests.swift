import BuiltInQueueing
@testable import Queueing
import TestSupport
import Testing

/// Messages that are too long to be kept in memory.
@Suite("SQLite: long messages", .timeLimit(.minutes(5)))
struct SQLiteLongTests {
  private static let long = MessageLimits.maximumBatchSize + 1

  @Test("are handed out shortened, in their turn, and the whole message goes into a separate queue")
  func shortened() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let source = try Queues().open("sqlite:\(path)?queue=a", defaultQueue: "x")
      let aside = try Queues().open("sqlite:\(path)?queue=a-too-long", defaultQueue: "x")
      let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let headers = [Header("token", "0f"), Header("long", String(repeating: "ü", count: Self.long))]
      let id = String(repeating: "i", count: Self.long)
      let whole = Message(id: "whole", body: [UInt8](repeating: 1, count: Self.long - 1))
      try await source.publish([
        message(0), Message(id: "body", body: body, headers: [Header("token", "0f")]),
        Message(id: "headers", body: [1], headers: headers), Message(id: id, body: [2]), whole, message(1),
      ])
      let length = "\(HeaderText.write(headers).utf8.count)"
      let expected = [
        message(0), Message(id: "body", body: Array(body[..<131_072]), headers: [Header("token", "0f")]),
        Message(id: "headers", body: [1], headers: [Header("cut-headers", length)]),
        Message(id: String(id.prefix(131_072)), body: [2]), whole, message(1),
      ]
      for _ in 0..<2 {
        var deliveries: [Delivery] = []
        while let more = try await source.receive(9, waitingUpTo: .zero), !more.isEmpty { deliveries += more }
        #expect(deliveries.map(\.message) == expected)
        #expect(deliveries.allSatisfy { $0.attempt == 1 })
        try await source.release(deliveries)
      }
      let kept = [
        Message(id: "body", body: body, headers: [Header("part", "body")]),
        Message(
          id: "headers", body: Array(HeaderText.write(headers).utf8), headers: [Header("part", "headers")]),
        Message(id: String(id.prefix(131_072)), body: Array(id.utf8), headers: [Header("part", "id")]),
      ]
      #expect(try await aside.browse(9) == kept)
      for message in kept {
        let delivery = try await aside.next()
        #expect(delivery.message == message)
        try await aside.settle(delivery, publishing: [])
      }
      #expect(try await aside.isEmpty)
      #expect(try await source.isEmpty == false)
    }
  }

  @Test("of a worker that has died count as handed out, and its receipt is no longer valid")
  func attempts() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.path(of: "queue.db")
      let queue = try Queues().open("sqlite:\(path)?queue=a", defaultQueue: "x")
      var shell = try SQLiteConnection(path: path)
      try await queue.publish([message(1)])
      let lost = try await queue.next()
      try shell.execute("UPDATE message SET owner = 1, body = zeroblob(\(Self.long))")
      #expect(try await queue.next().attempt == 2)
      #expect(
        await failure { () async throws(QueueError) in try await queue.settle(lost, publishing: []) }
          == .leaseLost(id: "m1"))
      #expect(
        try shell.value("SELECT group_concat(queue || ' ' || length(body)) FROM message")
          == "a 131072,a-too-long \(Self.long)")
    }
  }
}
