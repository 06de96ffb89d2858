import PushQueueing
import Queueing
import Synchronization
import TestSupport
import Testing

@testable import Reporting

@Suite("Watching a push queue", .timeLimit(.minutes(5)))
struct DeliveryWatchTests {
  @Test("nothing is reported for a push queue that is away, not even what it said before")
  func away() async throws {
    let queue = MortalPushQueue()
    let watch = DeliveryWatch(pause: .zero)
    watch.begin(with: queue)
    #expect(try await eventually { await watch.statistics?.all[.assigned] == 3 })
    queue.isAway.store(true, ordering: .relaxed)
    #expect(try await eventually { await watch.statistics?.all == nil })
    queue.isAway.store(false, ordering: .relaxed)
    #expect(try await eventually { await watch.statistics?.all[.assigned] == 3 })
  }
}

/// Has three pushes, unless it is away.
private final class MortalPushQueue: PushQueue {
  let isAway = Atomic(false)

  func statistics(of app: String?, days: ClosedRange<Int>) async throws(QueueError) -> [DayStatistics] {
    guard !isAway.load(ordering: .relaxed) else { throw .unavailable("away") }
    return [DayStatistics(app: "com.example.app", day: days.upperBound, counts: [.assigned: 3])]
  }

  func assign(_ pushes: [OfferedPush], at now: Int64) async throws(QueueError) -> [QueuePosition] { [] }
  func note(_ answers: [NotedAnswer], at now: Int64) async throws(QueueError) {}
  func ask(_ question: MissedQuestion, at now: Int64) async throws(QueueError) -> MissedAnswer { .nothing }
  func note(_ receipt: PushReceipt, at now: Int64) async throws(QueueError) -> ReceiptAnswer {
    .unknownDevice
  }
  func takeAsked(_ limit: Int, at now: Int64) async throws(QueueError) -> [KeptPush] { [] }
  func tidy(at now: Int64) async throws(QueueError) -> Bool { false }
}
