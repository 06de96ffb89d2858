import Enriching
import Logging
import Queueing
import TestSupport
import Testing

@testable import Working

/// Messages that go back to a queue that is away for longer than their deadline.
@Suite("Returning to a queue that is away", .timeLimit(.minutes(5)))
struct ReleasingTests {
  private static func withWorker(
    _ body: (Worker, MemoryQueue, InFlightDeliveries, _ store: String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      var enriching = EnrichmentSettings()
      enriching.store = folder.path
      enriching.memory = .max
      let store = folder.path
      let queue = MemoryQueue(store, "incoming")
      let worker = Worker(
        enricher: try Enricher(settings: enriching), from: queue, to: MemoryQueue(store, "enriched"),
        deadLetters: MemoryQueue(store, "dead-letters"), settings: WorkSettings(),
        log: WorkLog(Logger(label: "push-enricher") { _ in SwiftLogNoOpLogHandler() }))
      try await body(worker, queue, InFlightDeliveries(limit: 8, transfers: 8, memory: 12_000_000), store)
    }
  }

  private static func take(from queue: MemoryQueue) async throws -> Delivery {
    try await queue.publish([Message(id: "m", body: Array("{}".utf8))])
    return try #require(try await queue.receive(1, waitingUpTo: .zero)?.first)
  }

  @Test("a worker that goes on waits for the queue, and keeps no message on lease")
  func longOutage() async throws {
    try await Self.withWorker { worker, queue, inFlight, store in
      let delivery = try await Self.take(from: queue)
      MemoryQueue.setAway(store, true)
      let returning = Task { await worker.returnToQueue(delivery, until: .now, among: inFlight) }
      try await Task.sleep(for: .milliseconds(300))
      MemoryQueue.setAway(store, false)
      #expect(await returning.value)
      #expect(try await queue.receive(1, waitingUpTo: .zero)?.map(\.message.id) == ["m"])
    }
  }

  @Test("a worker that stops does not wait for the queue after the deadline") func stopping() async throws {
    try await Self.withWorker { worker, queue, inFlight, store in
      let delivery = try await Self.take(from: queue)
      MemoryQueue.setAway(store, true)
      defer { MemoryQueue.setAway(store, false) }
      inFlight.stop()
      #expect(await worker.returnToQueue(delivery, until: .now, among: inFlight))
    }
  }

  @Test("a release is tried again until the queue is back, or the process stops")
  func release() async throws {
    try await Self.withWorker { _, queue, inFlight, store in
      let delivery = try await Self.take(from: queue)
      MemoryQueue.setAway(store, true)
      await queue.release([delivery], among: inFlight) { true }
      let releasing = Task { await queue.release([delivery], among: inFlight) { false } }
      try await Task.sleep(for: .milliseconds(300))
      MemoryQueue.setAway(store, false)
      await releasing.value
      #expect(try await queue.receive(1, waitingUpTo: .zero)?.map(\.message.id) == ["m"])
    }
  }
}
