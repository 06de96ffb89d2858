import BuiltInQueueing
import Logging
import Queueing
import Synchronization
import Supporting
import TestSupport
import Testing

@testable import Working

/// Postpones some messages, twice each. Like the sink for APNs, it also postpones later messages to the same
/// device.
private final class TouchySink: Sink {
  private let state = Mutex((attempts: [String: Int](), taken: [Message]()))

  var taken: [Message] { state.withLock { $0.taken } }

  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    state.withLock { state in
      var later: [String: SendResult] = [:]
      return messages.map { message in
        let (number, line) = (Int(message.id.dropFirst()) ?? 0, message.line ?? "")
        if let result = later[line] { return result }
        state.attempts[message.id, default: 0] += 1
        guard number % 13 == 0, state.attempts[message.id] ?? 0 < 3 else {
          state.taken.append(message)
          return .sent
        }
        let result = SendResult.unavailable("not now", after: .milliseconds(number % 2 == 0 ? 30 : 300))
        later[line] = result
        return result
      }
    }
  }
}

@Suite("The order of each device", .timeLimit(.minutes(5)))
struct DeviceOrderTests {
  private static func message(_ number: Int, to device: String) -> Message {
    Message(
      id: "m\(number)", body: Array(#"{"aps":{}}"#.utf8), headers: [Header("device-token", device)])
  }

  private static func batch(_ devices: [String], from number: Int) -> ForwardedBatch {
    ForwardedBatch(
      devices.enumerated().map {
        Delivery(message: message(number + $0, to: $1), attempt: 1, receipt: "\(number + $0)")
      }, from: number)
  }

  private static func numbers(_ items: [ForwardedBatch.Item]) -> [Int] { items.map(\.number) }

  @Test("a batch goes together, and a later one waits for the same devices only") func batches() {
    let order = DeviceOrder()
    // Four spellings of the same device, one of them in Base64. Each has 32 bytes.
    let device = String(repeating: "ab", count: 32)
    let base64 = String(repeating: "q6ur", count: 10) + "q6s="
    let first = Self.batch([device, "11", device.uppercased()], from: 0)
    let second = Self.batch([" \(device)", "22", base64], from: 3)
    for batch in [first, second] { order.enter(batch.items) }
    #expect(Self.numbers(order.split(first.items, at: .now).due) == [0, 1, 2])
    var parts = order.split(second.items, at: .now)
    #expect((Self.numbers(parts.due), Self.numbers(parts.waiting)) == ([4], [3, 5]))
    order.leave([first.items[0]])
    #expect(Self.numbers(order.split(second.items, at: .now).due) == [4])
    order.leave([first.items[2]])
    parts = order.split(second.items, at: .now)
    #expect((Self.numbers(parts.due), Self.numbers(parts.waiting)) == ([3, 4, 5], []))
  }

  @Test("what follows a message that is to be sent later waits, in the same batch, too") func later() {
    let order = DeviceOrder()
    var batch = Self.batch(["11", "22", "11"], from: 0)
    order.enter(batch.items)
    batch.items[0].due = .now + .seconds(60)
    let parts = order.split(batch.items, at: .now)
    #expect((Self.numbers(parts.due), Self.numbers(parts.waiting)) == ([1], [0, 2]))
  }

  @Test("what was in hand when an earlier message was put aside follows it") func aside() {
    let order = DeviceOrder()
    let (first, second) = (Self.batch(["11"], from: 0), Self.batch(["11", "22"], from: 1))
    for batch in [first, second] { order.enter(batch.items) }
    order.putAside(first.items[0], until: 5)
    // This message comes after the one that was put aside, so the queue decides whether to put it aside, too.
    let third = Self.batch(["11"], from: 3)
    order.enter(third.items)
    order.leave(first.items)
    let parts = order.split(second.items, at: .now)
    #expect(parts.aside.map(\.item.number) == [1])
    #expect(parts.aside.map(\.until) == [5])
    #expect(Self.numbers(parts.due) == [2])
    order.leave(second.items)
    #expect(Self.numbers(order.split(third.items, at: .now).due) == [3])
  }

  @Test("a queue that refuses to put a push aside ends the forwarder, and keeps the push")
  func refused() async throws {
    try await withRedisServer { server in
      try await server.command(["ACL", "SETUSER", "worker", "on", ">secret", "~*", "+@all", "-zadd"])
      let source = try Queues().open(
        server.url("incoming", host: "127.0.0.1", user: "worker:secret@"), defaultQueue: "x")
      try await source.publish([Self.message(13, to: "11"), Self.message(14, to: "11")])
      let target = TouchySink()
      let forwarder = Forwarder(
        from: source, to: target, deadLetters: try Queues().open(server.url("letters"), defaultQueue: "x"),
        stopsWhenEmpty: true, log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }))
      await #expect(
        throws: QueueError.refused(
          "Redis at 127.0.0.1:\(server.port) does not let this user put messages aside: grant it with ACL SETUSER worker +@sortedset ~incoming-*"
        )
      ) { try await forwarder.run() }
      #expect(target.taken.isEmpty)
      #expect(try await source.browse(10).map(\.id) == ["m13", "m14"])
    }
  }

  @Test(
    "pushes do not overtake those that are put aside, whatever batch they are in",
    arguments: [BrokerKind.memory, .sqlite, .redis])
  func forwarder(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queues = Queues()
      let (source, letters) = (
        try broker.open("incoming", in: queues), try broker.open("dead-letters", in: queues)
      )
      try await source.publish((0..<600).map { Self.message($0, to: "\(1_000 + $0 % 100)") })
      let target = TouchySink()
      // Messages that are put aside do not keep the forwarder from ending.
      while target.taken.count < 600 {
        try await Forwarder(
          from: source, to: target, deadLetters: letters, stopsWhenEmpty: true,
          log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() })
        ).run()
      }
      let numbers = target.taken.compactMap { Int($0.id.dropFirst()) }
      #expect(numbers.count == 600)
      for device in 0..<100 {
        let own = numbers.filter { $0 % 100 == device }
        #expect(own == own.sorted(), "\(device)")
      }
    }
  }
}
