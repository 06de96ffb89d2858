import BuiltInQueueing
import Enriching
import Glibc
import Logging
import Measuring
import Queueing
import Synchronization
import TestSupport
import Testing

@testable import Working

@Suite("A target that answers for single messages", .timeLimit(.minutes(5)))
struct RejectionTests {
  private static let rejection = Rejection(
    "message-too-large", detail: "it is too large", headers: [Header("apns-status", "413")])
  private static let numbers = 0..<60

  /// Every seventh body is not a payload.
  private static func message(_ number: Int) -> Message {
    let body = number % 7 == 0 ? "[\(number)]" : #"{"aps":{"alert":"n\#(number)"}}"#
    return Message(id: "m\(number)", body: Array(body.utf8), headers: [Header("n", "\(number)")])
  }

  private static func isRejected(_ id: String) -> Bool { Int(id.dropFirst()).map { $0 % 5 == 0 } ?? false }

  /// A target that rejects some messages, and accepts others only at the third attempt.
  private func target() -> MemoryQueue {
    let attempts = Counts()
    return memory { message in
      if Self.isRejected(message.id) { return .rejected(Self.rejection) }
      let number = Int(message.id.dropFirst()) ?? 0
      guard number % 5 == 1, attempts.count(message.id) < 3 else { return .sent }
      return .unavailable("not now", after: number % 2 == 0 ? .milliseconds(150) : nil)
    }
  }

  private func memory(
    leaseTime: Duration? = nil, answer: @escaping @Sendable (Message) -> SendResult = { _ in .sent }
  ) -> MemoryQueue {
    MemoryQueue("\(UInt64.random(in: 0...UInt64.max))", "x", leaseTime: leaseTime, answer: answer)
  }

  /// Runs a worker until the source is empty.
  private func work(
    from source: any Source, to target: any Sink, _ letters: any Sink, _ measurements: Measurements = .init()
  ) async throws {
    try await withTemporaryDirectory { folder in
      var enriching = EnrichmentSettings()
      enriching.store = folder.path
      enriching.memory = .max
      var settings = WorkSettings()
      settings.stopsWhenEmpty = true
      try await Worker(
        enricher: try Enricher(settings: enriching), from: source, to: target, deadLetters: letters,
        settings: settings, log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }),
        measurements: measurements
      ).run()
    }
  }

  @Test(
    "each message ends up once, as a result or as a dead letter, and nothing is lost",
    arguments: BrokerKind.allCases)
  func each(kind: BrokerKind) async throws {
    try await kind.withBroker { broker in
      let queues = Queues()
      let (source, letters, target) = (
        try broker.open("incoming", in: queues), try broker.open("dead-letters", in: queues), target()
      )
      let messages = Self.numbers.map(Self.message)
      try await source.publish(messages)
      let measurements = Measurements()
      try await work(from: source, to: target, letters, measurements)

      let (taken, dead) = (try await target.browse(100), try await letters.browse(100))
      let rejected = messages.filter { Self.isRejected($0.id) }
      let invalid = messages.filter { $0.body.first == UInt8(ascii: "[") }
      #expect(
        taken.map(\.id).sorted() == messages.filter { !Self.isRejected($0.id) }.map(\.id).sorted())
      #expect(dead.map(\.id).sorted() == Set((rejected + invalid).map(\.id)).sorted())
      for letter in dead {
        let message = try #require(messages.first { $0.id == letter.id })
        #expect(letter.body == message.body)
        #expect(letter.header("n") == message.header("n"))
        let isInvalid = invalid.contains(message)
        #expect(letter.header(ResultHeader.reason) == (isInvalid ? "invalid-payload" : "message-too-large"))
        #expect(letter.header(ResultHeader.outcome) == (isInvalid ? "unmodified" : "rejected"))
        #expect(letter.header("apns-status") == (isInvalid ? nil : "413"))
      }
      #expect(try await source.browse(100) == [])
      let tally = measurements.tally()
      #expect(tally.inFlight == 0)
      let metrics = PrometheusText(
        tally.metrics(from: [], to: [.init("to", "a")], deadLetters: [.init("to", "b")])
      ).text
      let sent = "messaging_client_sent_messages_total{to="
      #expect(metrics.contains("\(sent)\"a\"} \(taken.count)\n"))
      #expect(metrics.contains("\(sent)\"b\"} \(dead.count)\n"))
      #expect(metrics.contains("\(sent)\"a\",error_type=\"message-too-large\"} \(rejected.count)\n"))
    }
  }

  @Test("results of lines keep their order, without the rejected ones") func lines() async throws {
    try await withTemporaryDirectory { folder in
      let file = folder.path(of: "lines")
      try Files.write(Array((0..<20).map { "{\"n\":\($0)}\n" }.joined().utf8), to: file)
      let descriptor = unsafe open(file, O_RDONLY)
      defer { close(descriptor) }
      let (target, letters) = (memory { $0.body.count == 8 ? .rejected(Self.rejection) : .sent }, memory())
      try await work(from: LineQueue(input: descriptor, output: 1), to: target, letters)
      func bodies(_ queue: MemoryQueue) async throws -> [String] {
        try await queue.browse(100).map { String(decoding: $0.body, as: UTF8.self) }
      }
      #expect(try await bodies(target) == (0..<10).map { "{\"n\":\($0)}" })
      #expect(try await bodies(letters) == (10..<20).map { "{\"n\":\($0)}" })
    }
  }

  @Test("a message that neither queue accepts ends the worker and stays in its queue") func nowhere()
    async throws
  {
    let (source, picky) = (memory(), memory { _ in .rejected(Self.rejection) })
    try await source.publish([Self.message(1)])
    await #expect(throws: QueueError.refused("it is too large")) {
      try await work(from: source, to: picky, picky)
    }
    #expect(try await source.receive(1, waitingUpTo: .zero)?.map(\.message) == [Self.message(1)])
  }

  @Test("leases are renewed for as long as a result waits for its target") func leases() async throws {
    let store = "\(UInt64.random(in: 0...UInt64.max))"
    let source = MemoryQueue(store, "x", leaseTime: .seconds(6))
    // A worker extends its leases three times in the time of one.
    let target = memory { _ in
      source.extensions.count < 4 ? .unavailable("not now", after: .milliseconds(100)) : .sent
    }
    try await source.publish([Self.message(1)])
    let others = Task {
      // Waits until the worker has the first lease.
      while try await source.backlog?.onLease == 0 { try await Task.sleep(for: .milliseconds(5)) }
      return try await MemoryQueue(store, "x").receive(1, waitingUpTo: .seconds(3_600))
    }
    try await work(from: source, to: target, memory())
    others.cancel()
    #expect(try await others.value?.count == 0)
    #expect(try await target.browse(10).map(\.id) == ["m1"])
  }
}

private final class Counts: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// Returns how often it was called with `id`, including this time.
  func count(_ id: String) -> Int {
    counts.withLock { counts in
      counts[id, default: 0] += 1
      return counts[id] ?? 0
    }
  }
}
