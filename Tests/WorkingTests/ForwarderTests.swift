import BuiltInQueueing
import Logging
import Measuring
import Queueing
import Supporting
import Synchronization
import TestSupport
import Testing

@testable import Working

/// A sink with scripted answers, which keeps the messages that it takes in their order.
final class ScriptedSink: Sink {
  typealias Answer = @Sendable (Message, _ attempt: Int) throws(QueueError) -> SendResult
  private let state = Mutex((attempts: [String: Int](), taken: [Message]()))
  private let answer: Answer

  init(_ answer: @escaping Answer) { self.answer = answer }

  var taken: [Message] { state.withLock { $0.taken } }

  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    var results: [SendResult] = []
    for message in messages {
      let attempt = state.withLock { state in
        state.attempts[message.id, default: 0] += 1
        return state.attempts[message.id] ?? 0
      }
      let result = try answer(message, attempt)
      if result == .sent { state.withLock { $0.taken.append(message) } }
      results.append(result)
    }
    return results
  }
}

/// A sink that takes everything, and knows how many messages each call had.
private final class CountingSink: Sink {
  private let state = Mutex<[Int]>([])

  var counts: [Int] { state.withLock { $0 } }

  func send(_ messages: [Message]) async throws(QueueError) -> [SendResult] {
    state.withLock { $0.append(messages.count) }
    return messages.map { _ in .sent }
  }
}

@Suite("A forwarder", .timeLimit(.minutes(5)))
struct ForwarderTests {
  private static let rejection = Rejection(
    "apns-rejected", detail: "APNs refuses it", headers: [Header("apns-status", "400")])

  private static func message(_ number: Int) -> Message {
    Message(
      id: "m\(number)", body: Array(#"{"aps":{"alert":"n\#(number)"}}"#.utf8),
      headers: [Header("device-token", "a\(number % 20)"), Header("n", "\(number)")])
  }

  private static func forwarder(
    from source: any Source, to target: any Sink, _ letters: any Sink, rate: Int? = nil,
    status: WorkStatus = WorkStatus(), measurements: Measurements = Measurements()
  ) -> Forwarder {
    Forwarder(
      from: source, to: target, deadLetters: letters, stopsWhenEmpty: true, rate: rate,
      log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }), status: status,
      measurements: measurements)
  }

  /// A sink that rejects every fifth message, takes every seventh at the third attempt, and is sometimes
  /// unavailable.
  private static func target() -> ScriptedSink {
    let calls = Mutex(0)
    return ScriptedSink { (message, attempt) throws(QueueError) in
      let number = Int(message.id.dropFirst()) ?? 0
      if number % 5 == 0 { return .rejected(rejection) }
      if number % 7 == 0, attempt < 3 {
        return .unavailable("not now", after: number % 2 == 0 ? .milliseconds(50) : nil)
      }
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      // This number is larger than a batch, or a full batch would never get through.
      if call % 151 == 0 { throw .unavailable("the connection ended") }
      return .sent
    }
  }

  @Test(
    "each message is taken or becomes a dead letter, in the order of its device",
    arguments: BrokerKind.allCases)
  func each(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queues = Queues()
      let (source, letters, target) = (
        try broker.open("incoming", in: queues), try broker.open("dead-letters", in: queues), Self.target()
      )
      let messages = (0..<400).map(Self.message)
      try await source.publish(messages)
      try await Self.forwarder(from: source, to: target, letters).run()

      let isRejected: (Message) -> Bool = { (Int($0.id.dropFirst()) ?? 0) % 5 == 0 }
      let taken = target.taken
      #expect(Set(taken.map(\.id)) == Set(messages.filter { !isRejected($0) }.map(\.id)))
      for message in taken {
        let original = messages.first { $0.id == message.id }
        #expect(message.body == original?.body)
        #expect(message.header("n") == original?.header("n"))
      }
      let dead = try await letters.browse(1_000)
      #expect(dead.map(\.id).sorted() == messages.filter(isRejected).map(\.id).sorted())
      for letter in dead {
        #expect(letter.header("apns-status") == "400")
        #expect(letter.header("enrich-reason") == "apns-rejected")
      }
      #expect(try await source.isEmpty)
    }
  }

  @Test("the messages of many batches reach the sink in the order of their devices")
  func batches() async throws {
    let source = MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "in")
    let target = ScriptedSink { (_, _) throws(QueueError) in .sent }
    let messages = (0..<5_000).map(Self.message)
    try await source.publish(messages)
    try await Self.forwarder(from: source, to: target, source).run()
    let perDevice = { (messages: [Message]) in
      Dictionary(grouping: messages) { $0.header("device-token") }.mapValues { $0.map(\.id) }
    }
    #expect(perDevice(target.taken) == perDevice(messages))
  }

  @Test("at a stop, no later message to a device is sent after an earlier one was given back")
  func givenBack() async throws {
    let source = MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "in")
    let target = ScriptedSink { (_, _) throws(QueueError) in .sent }
    let messages = (0..<40).map(Self.message)
    try await source.publish(messages)
    let forwarder = Self.forwarder(from: source, to: target, source)
    let inFlight = InFlightDeliveries(limit: 100, transfers: 0, memory: 12_000_000, hasMedia: false)
    var batches: [ForwardedBatch] = []
    for start in [0, 20] {
      let batch = ForwardedBatch(try #require(try await source.receive(20, waitingUpTo: .zero)), from: start)
      forwarder.order.enter(batch.items)
      inFlight.enter(batch.items.map(\.delivery))
      batches.append(batch)
    }
    for index in batches[0].items.indices { batches[0].items[index].due = .now + .seconds(3_600) }
    inFlight.stop()
    for batch in batches { await forwarder.send(batch, inFlight) }
    #expect(target.taken.isEmpty)
    let again = try #require(try await source.receive(100, waitingUpTo: .zero))
    #expect(again.map(\.message.id).sorted() == messages.map(\.id).sorted())
  }

  @Test("later messages to a device wait for one that is put off") func order() async throws {
    let source = MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "in")
    let letters = MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "dead")
    let target = ScriptedSink { (message, attempt) throws(QueueError) in
      message.id == "m3" && attempt < 4 ? .unavailable("too fast", after: .milliseconds(100)) : .sent
    }
    // Several batches, with the same devices in each.
    try await source.publish((0..<300).map(Self.message))
    try await Self.forwarder(from: source, to: target, letters).run()
    let numbers = target.taken.compactMap { Int($0.id.dropFirst()) }
    #expect(numbers.count == 300)
    let place = try #require(numbers.firstIndex(of: 3))
    for (index, number) in numbers.enumerated() where number % 20 == 3 && number > 3 && number >= 64 {
      #expect(index > place, "\(number) came before 3")
    }
  }

  @Test("while the sink answers for no message, publishing fails") func unreachable() async throws {
    let source = MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "in")
    let (status, measurements) = (WorkStatus(), Measurements())
    let isFailing = Mutex<[Bool]>([])
    let target = ScriptedSink { (_, attempt) throws(QueueError) in
      isFailing.withLock { $0.append(status.isPublishingFailing) }
      return attempt < 3 ? .unavailable("the connection ended", after: nil) : .sent
    }
    try await source.publish([Self.message(1)])
    try await Self.forwarder(from: source, to: target, source, status: status, measurements: measurements)
      .run()
    #expect(isFailing.withLock { $0 } == [false, true, true])
    #expect(!status.isPublishingFailing)
    #expect(measurements.tally().publishErrors == ["unavailable": 2])
  }

  @Test(
    "a batch has no more messages than the sink takes in a second, but at least 16",
    arguments: [(1, 16), (20, 20), (1_000, 128)])
  func rate(_ rate: Int, limit: Int) async throws {
    let source = MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "in")
    let target = CountingSink()
    // Without devices, none of them waits for another batch.
    try await source.publish((0..<300).map { Message(id: "m\($0)", body: Array("{}".utf8)) })
    try await Self.forwarder(from: source, to: target, source, rate: rate).run()
    // How many are free when a batch is taken depends on how many others have ended by then.
    #expect((limit * 3 / 4...limit).contains(try #require(target.counts.max())))
    #expect(target.counts.reduce(0, +) == 300)
  }

  @Test("a refusal of the sink ends it with the error, and the messages stay") func refusal() async throws {
    let source = MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "in")
    let target = ScriptedSink { (_, _) throws(QueueError) in throw .refused("no") }
    try await source.publish((0..<100).map(Self.message))
    await #expect(throws: QueueError.refused("no")) {
      try await Self.forwarder(from: source, to: target, source).run()
    }
    #expect(try await source.browse(200).count == 100)
  }
}
