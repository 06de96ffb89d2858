import Supporting
import Synchronization
import TestSupport
import Testing

@testable import Enriching

/// A deadline that waited would hang these tests, hence the limit.
@Suite("Deadline", .timeLimit(.minutes(1)))
struct DeadlineTests {
  @Test("what is done in time wins") func inTime() async {
    #expect(await Deadline(.seconds(30)).limit { 7 } == 7)
  }

  /// One for all of a worker's payloads, or none.
  static let pools = [nil, TaskPool(keeping: 8)]

  @Test("a step that neither ends nor heeds its cancellation is left behind", arguments: pools)
  func stuck(pool: TaskPool?) async {
    let step = Step()
    #expect(await Deadline(.milliseconds(20)).limit(on: pool) { await step.run() } == nil)
    #expect(await eventually { step.wasCancelled })
    #expect(await Self.farAway.limit(on: pool) { !Task.isCancelled } == true)
    // Late, and of no use to anybody: but no second answer either.
    step.finish()
    await step.ended()
  }

  @Test("a deadline that is past leaves time for nothing") func past() async {
    let step = Step()
    #expect(await Deadline(.seconds(1), from: .now - .seconds(2)).limit { await step.run() } == nil)
    step.finish()
  }

  @Test("a step that wins was not cancelled, and its alarm is switched off") func calm() async {
    weak var forgotten: Winner?
    do {
      let winner = await Self.farAway.limit {
        await Task.yield()
        return Winner(wasCancelled: Task.isCancelled)
      }
      #expect(winner?.wasCancelled == false)
      forgotten = winner
    }
    // The alarm would hold the answer until its time.
    while forgotten != nil, !Task.isCancelled { await Task.yield() }
    #expect(forgotten == nil)
  }

  @Test("one whose task is cancelled ends at once, and cancels its step") func cancelled() async {
    let step = Step()
    let task = Task { await Self.farAway.limit { await step.run() } }
    task.cancel()
    #expect(await task.value == nil)
    #expect(await eventually { step.wasCancelled })
    step.finish()
  }

  @Test("what a step returns because of its cancellation does not win") func cancelledAnswer() async {
    let task = Task {
      await Self.farAway.limit { () async -> Bool? in
        while !Task.isCancelled { await Task.yield() }
        return true
      }
    }
    task.cancel()
    #expect(await task.value == nil)
  }

  /// An hour from now: these tests do not wait for it.
  private static let farAway = Deadline(.seconds(30), from: .now + .seconds(3_600))

  @Test("many races are each settled once", arguments: pools)
  func races(pool: TaskPool?) async {
    let answers = await withTaskGroup(of: (number: Int, answer: Int?).self) { group in
      for number in 0..<500 {
        group.addTask {
          let answer = await Deadline(.microseconds(number)).limit(on: pool) {
            try? await Task.sleep(for: .microseconds(250))
            return number
          }
          return (number, answer)
        }
      }
      return await group.reduce(into: []) { answers, answer in answers.append(answer) }
    }
    #expect(answers.map(\.number).sorted() == Array(0..<500))
    #expect(answers.allSatisfy { $0.answer == nil || $0.answer == $0.number })
  }

  @Test("no deadline is longer than iOS's") func maximum() {
    let start = ContinuousClock.now
    #expect(Deadline(.seconds(90), from: start).end == start + .seconds(30))
    #expect(Deadline(.seconds(2), from: start).end == start + .seconds(2))
  }
}

private final class Winner: Sendable {
  let wasCancelled: Bool

  init(wasCancelled: Bool) { self.wasCancelled = wasCancelled }
}

/// An operation that ends when it is told to, and by nothing else.
private final class Step: Sendable {
  private struct State {
    var isFinished = false
    var waiting: CheckedContinuation<Void, Never>?
    var hasEnded = false
    var wasCancelled = false
  }

  private let state = Mutex(State())

  var wasCancelled: Bool { state.withLock { $0.wasCancelled } }

  func run() async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFinished = state.withLock { state in
          if !state.isFinished { state.waiting = continuation }
          return state.isFinished
        }
        if isFinished { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.wasCancelled = true }
    }
    state.withLock { $0.hasEnded = true }
    return true
  }

  func finish() {
    let waiting = state.withLock { state in
      state.isFinished = true
      return state.waiting.take()
    }
    waiting?.resume()
  }

  func ended() async {
    while !state.withLock({ $0.hasEnded }), !Task.isCancelled { await Task.yield() }
  }
}
