import Queueing
import Synchronization
import TestSupport
import Testing

@Suite("The last deliveries of a queue", .timeLimit(.minutes(5))) struct LastDeliveriesTests {
  @Test("are not waited for in a cancelled task, which asks once") func cancelled() async throws {
    let source = BusySource()
    let task = Task {
      // Waits for the cancellation below.
      while !Task.isCancelled { await Task.yield() }
      var last = LastDeliveries()
      return try await last.receive(10, from: source)
    }
    task.cancel()
    #expect(try await task.value == nil)
    #expect(source.questions == 1)
  }

  @Test("are waited for until then, with pauses") func waiting() async throws {
    let source = BusySource()
    let start = ContinuousClock.now
    let task = Task {
      var last = LastDeliveries()
      return try await last.receive(10, from: source)
    }
    #expect(await eventually { source.questions >= 3 })
    try await Task.sleep(for: .milliseconds(500))
    task.cancel()
    let before = source.questions
    #expect(try await task.value == nil)
    // Ten polls and a look at the backlog in the first half second, then less than one in 40 ms, and two more after
    // the cancellation.
    let most = 15 + (ContinuousClock.now - start) / Duration.milliseconds(40)
    #expect(Double(before) < most)
    #expect(source.questions <= before + 2)
  }

  @Test("are not waited for any longer once this process has looked often enough, however late")
  func looks() async throws {
    let source = BusySource(looks: true)
    var last = LastDeliveries()
    #expect(try await last.receive(10, from: source)?.isEmpty == true)
    #expect(source.questions > QueueLease.missingSigns)
  }
}

/// A source whose messages are all on lease to other processes. Counts the calls, each of which may count as a look.
private final class BusySource: Source {
  private let looks: Bool
  private let count = Mutex(0)
  var questions: Int { count.withLock { $0 } }

  init(looks: Bool = false) { self.looks = looks }

  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? {
    count.withLock { $0 += 1 }
    return []
  }

  var backlog: Backlog? {
    get async throws(QueueError) {
      count.withLock { $0 += 1 }
      return Backlog(waiting: 0, onLease: 1)
    }
  }

  var lookCount: Int? { looks ? questions : 0 }
  var leaseTime: Duration? { nil }
  var isEmpty: Bool { get async throws(QueueError) { false } }
  func extend(_ deliveries: [Delivery]) async throws(QueueError) {}
  func release(_ deliveries: [Delivery]) async throws(QueueError) {}
  func settle(_ delivery: Delivery, publishing: [Publication]) async throws(QueueError) -> SendResult {
    .sent
  }
  func requeue(_ delivery: Delivery) async throws(QueueError) {}
  func browse(_ limit: Int) async throws(QueueError) -> [Message] { [] }
}
