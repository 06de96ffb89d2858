import Enriching
import Logging
import Queueing
import TestSupport
import Testing

@testable import Working

@Suite("A reply to an acknowledgment that is lost", .timeLimit(.minutes(5)))
struct LostReplyTests {
  /// `end` is when a worker that stops gives up.
  @Test("is no failure of a worker that stops, if the queue has carried out the acknowledgment")
  func stopping() async throws {
    try await withTemporaryDirectory { folder in
      let queue = MemoryQueue(folder.path, "incoming")
      let target = MemoryQueue("\(folder.path)-to", "enriched")
      var enriching = EnrichmentSettings()
      enriching.store = folder.path
      enriching.memory = .max
      let enricher = try Enricher(settings: enriching)
      // Begins now, because making the enricher may take long on a busy machine.
      let end = ContinuousClock.now + .seconds(3)
      let source = ForgetfulQueue(queue, until: end)
      let worker = Worker(
        enricher: enricher, from: source, to: target,
        deadLetters: MemoryQueue(folder.path, "dead-letters"), settings: WorkSettings(),
        log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }))
      let inFlight = InFlightDeliveries(limit: 8, transfers: 8, memory: 12_000_000)
      try await queue.publish([Message(id: "m", body: Array("{}".utf8))])
      let delivery = try #require(try await queue.receive(1, waitingUpTo: .zero)?.first)
      inFlight.stop()
      let result = WorkResult(unmodified: delivery.message, because: Failure(.noMedia, "it names no media"))
      await worker.settle(
        delivery, result, publishing: worker.publications(of: result), until: end, among: inFlight)
      #expect(source.settlements.count == 2)
      #expect(inFlight.closing == nil)
      #expect(try await target.browse(10).map(\.id) == ["m"])
      #expect(try await queue.browse(10) == [])
    }
  }
}

/// Carries out settlements, but does not reply: its connection ends at a certain time.
private final class ForgetfulQueue: Source {
  let settlements = Counter()
  private let queue: MemoryQueue
  private let end: ContinuousClock.Instant

  init(_ queue: MemoryQueue, until end: ContinuousClock.Instant) { (self.queue, self.end) = (queue, end) }

  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    try await queue.receive(limit, waitingUpTo: duration)
  }

  func release(_ deliveries: [Delivery]) async throws(QueueError) { try await queue.release(deliveries) }

  func requeue(_ delivery: Delivery) async throws(QueueError) { try await queue.requeue(delivery) }

  func browse(_ limit: Int) async throws(QueueError) -> [Message] { try await queue.browse(limit) }

  func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult {
    settlements.add()
    let result = try await queue.settle(delivery, publishing: publications)
    try? await Task.sleep(until: end, clock: .continuous)
    throw .unavailable("the connection ended after \(result)")
  }
}
