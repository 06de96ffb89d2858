import Queueing
import Synchronization
import TestSupport
import Testing

@testable import Working

@Suite("Watching a backlog", .timeLimit(.minutes(5)))
struct BacklogWatchTests {
  @Test("a queue is asked for its backlog again only after the pause") func pause() async throws {
    let queue = SlowQueue()
    queue.answer(.success(Backlog(waiting: 7)))
    let watch = BacklogWatch(queue, pause: .seconds(3_600))
    #expect(try await eventually { await watch.backlog == Backlog(waiting: 7) })
    for _ in 0..<10 { #expect(await watch.backlog == Backlog(waiting: 7)) }
    #expect(queue.questions == 1)
  }

  @Test("nobody waits for a queue that hangs, and it is asked only once") func hanging()
    async throws
  {
    let queue = SlowQueue()
    let watch = BacklogWatch(queue, pause: .zero)
    for _ in 0..<3 { #expect(await watch.backlog == nil) }
    #expect(queue.questions == 1)
    queue.answer(.success(Backlog(waiting: 1, onLease: 2, oldestAge: .seconds(3))))
    #expect(
      try await eventually { await watch.backlog == Backlog(waiting: 1, onLease: 2, oldestAge: .seconds(3)) })
  }

  @Test("no backlog is reported for a queue that is away") func away() async throws {
    let queue = SlowQueue()
    let watch = BacklogWatch(queue, pause: .zero)
    queue.answer(.success(Backlog(waiting: 7)))
    #expect(try await eventually { await watch.backlog == Backlog(waiting: 7) })
    queue.answer(.failure(.unavailable("away")))
    #expect(try await eventually { await watch.backlog == nil })
  }
}

/// A queue that answers when the test says so.
private final class SlowQueue: Source {
  private let state = Mutex((questions: 0, answer: Result<Backlog, QueueError>?.none))

  var questions: Int { state.withLock { $0.questions } }

  func answer(_ answer: Result<Backlog, QueueError>) { state.withLock { $0.answer = answer } }

  var backlog: Backlog? {
    get async throws(QueueError) {
      state.withLock { $0.questions += 1 }
      while true {
        if let answer = state.withLock({ $0.answer }) { return try answer.get() }
        // It ignores cancellation: it hangs.
        await Task.detached { try? await Task.sleep(for: .milliseconds(10)) }.value
      }
    }
  }

  func receive(_ limit: Int, waitingUpTo duration: Duration) async throws(QueueError) -> [Delivery]? { nil }
  func release(_ deliveries: [Delivery]) async throws(QueueError) {}
  func settle(
    _ delivery: Delivery, publishing publications: [Publication]
  ) async throws(QueueError) -> SendResult { .sent }
  func requeue(_ delivery: Delivery) async throws(QueueError) {}
  func browse(_ limit: Int) async throws(QueueError) -> [Message] { [] }
}
