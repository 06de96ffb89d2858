import Supporting
import Synchronization
import TestSupport
import Testing

@testable import Enriching

/// The time limit is here because a deadline that waited would hang these tests.
@Suite("Deadline", .timeLimit(.minutes(5)))
struct DeadlineTests {
  @Test("a result that comes in time wins") func inTime() async {
    #expect(await Deadline(.seconds(30)).limit { 7 } == 7)
  }

  @Test("a step that neither ends nor reacts to its cancellation is abandoned") func stuck() async {
    let step = Step()
    #expect(await Deadline(.milliseconds(20)).limit { await step.run() } == nil)
    #expect(await eventually { step.wasCancelled })
    // The late answer is discarded, and must not become a second result.
    step.finish()
    await step.ended()
  }

  @Test("a deadline in the past runs no step") func past() async {
    let step = Step()
    #expect(await Deadline(.seconds(1), from: .now - .seconds(2)).limit { await step.run() } == nil)
    step.finish()
  }

  @Test("a step that wins is not cancelled, and its alarm is switched off") func calm() async {
    weak var forgotten: Winner?
    do {
      let winner = await Self.farAway.limit {
        await Task.yield()
        return Winner(wasCancelled: Task.isCancelled)
      }
      #expect(winner?.wasCancelled == false)
      forgotten = winner
    }
    // An alarm that is still set would keep the answer alive until its time.
    while forgotten != nil, !Task.isCancelled { await Task.yield() }
    #expect(forgotten == nil)
  }

  @Test("a cancelled task stops waiting at once, and its step is cancelled") func cancelled() async {
    let step = Step()
    let task = Task { await Self.farAway.limit { await step.run() } }
    task.cancel()
    #expect(await task.value == nil)
    #expect(await eventually { step.wasCancelled })
    step.finish()
  }

  @Test("a result that a step returns because it was cancelled does not win") func cancelledAnswer() async {
    let task = Task {
      await Self.farAway.limit { () async -> Bool? in
        while !Task.isCancelled { await Task.yield() }
        return true
      }
    }
    task.cancel()
    #expect(await task.value == nil)
  }

  /// Ends in an hour, so it never ends during a test.
  fileprivate static let farAway = Deadline(.seconds(30), from: .now + .seconds(3_600))

  @Test("each of many races has exactly one result") func races() async {
    let answers = await withTaskGroup(of: (number: Int, answer: Int?).self) { group in
      for number in 0..<500 {
        group.addTask {
          let answer = await Deadline(.microseconds(number)).limit {
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

  @Test("no deadline is longer than the 30 s of iOS") func maximum() {
    let start = ContinuousClock.now
    #expect(Deadline(.seconds(90), from: start).end == start + .seconds(30))
    #expect(Deadline(.seconds(2), from: start).end == start + .seconds(2))
  }
}

/// The same for operations that run on pooled tasks, like those of a worker. The task that gets the
/// result of an operation continues with it.
@Suite("Deadline of pooled operations", .timeLimit(.minutes(5)))
struct PooledDeadlineTests {
  private let pool = TaskPool(keeping: 8)

  @Test("an operation that finishes in time continues on the task that waits for it") func inTime() async {
    let tasks = Answers<Int?>()
    pool.run { work in
      let task = await DeadlineTests.farAway.limit(as: work) {
        await Task.yield()
        return unsafe withUnsafeCurrentTask { unsafe $0.hashValue }
      } orElse: {
        tasks.add(nil)
      }
      tasks.add(task)
      tasks.add(unsafe withUnsafeCurrentTask { unsafe $0.hashValue })
      tasks.add(Task.isCancelled ? 1 : 0)
    }
    #expect(await eventually { tasks.all.count == 3 })
    #expect(tasks.all[0] == tasks.all[1])
    #expect(tasks.all[2] == 0)
  }

  @Test("a step that neither ends nor reacts to its cancellation is abandoned, with one answer")
  func stuck() async {
    let (step, answers) = (Step(), Answers<Bool?>())
    begin(Deadline(.milliseconds(20)), answers) { await step.run() }
    #expect(await eventually { !answers.all.isEmpty && step.wasCancelled })
    // The next operation must not run on a cancelled task.
    begin(DeadlineTests.farAway, answers) { !Task.isCancelled }
    #expect(await eventually { answers.all.count == 2 })
    step.finish()
    await step.ended()
    begin(DeadlineTests.farAway, answers) { !Task.isCancelled }
    #expect(await eventually { answers.all.count == 3 })
    #expect(answers.all == [nil, true, true])
  }

  @Test("a deadline in the past runs no step") func past() async {
    let answers = Answers<Bool?>()
    begin(Deadline(.seconds(1), from: .now - .seconds(2)), answers) { true }
    #expect(await eventually { answers.all == [nil] })
  }

  @Test("a cancelled operation is given up at once, and a late result of its step does not count")
  func cancelled() async {
    let (step, answers) = (Step(), Answers<Bool?>())
    let work = begin(DeadlineTests.farAway, answers) { await step.run() }
    work.cancel()
    #expect(await eventually { answers.all == [nil] && step.wasCancelled })
    step.finish()
    await step.ended()
    let other = begin(DeadlineTests.farAway, answers) {
      while !Task.isCancelled { await Task.yield() }
      return true
    }
    other.cancel()
    #expect(await eventually { answers.all == [nil, nil] })
  }

  @Test("nothing is kept alive until a deadline that was not needed") func forgotten() async {
    weak var forgotten: Winner?
    do {
      let winner = Winner(wasCancelled: false)
      forgotten = winner
      let answers = Answers<Bool?>()
      begin(DeadlineTests.farAway, answers) { winner.wasCancelled }
      #expect(await eventually { answers.all == [false] })
    }
    while forgotten != nil, !Task.isCancelled { await Task.yield() }
    #expect(forgotten == nil)
  }

  @Test("each of many races has exactly one answer, even if all are cancelled", arguments: [false, true])
  func races(cancelsAll: Bool) async {
    let answers = Answers<(number: Int, answer: Int?)>()
    for number in 0..<500 {
      pool.run { work in
        let answer = await Deadline(.microseconds(number)).limit(as: work) {
          try? await Task.sleep(for: .microseconds(250))
          return number
        } orElse: {
          answers.add((number, nil))
        }
        if let answer { answers.add((number, answer)) }
      }
    }
    if cancelsAll { pool.cancelAll() }
    #expect(await eventually { answers.all.count == 500 })
    // No second answers may follow.
    try? await Task.sleep(for: .milliseconds(20))
    #expect(answers.all.map(\.number).sorted() == Array(0..<500))
    #expect(answers.all.allSatisfy { $0.answer == nil || $0.answer == $0.number })
  }

  @discardableResult
  private func begin(
    _ deadline: Deadline, _ answers: Answers<Bool?>, _ operation: @escaping @Sendable () async -> Bool
  ) -> PooledOperation {
    pool.run { work in
      if let answer = await deadline.limit(as: work, operation, orElse: { answers.add(nil) }) {
        answers.add(answer)
      }
    }
  }
}

private final class Answers<Answer: Sendable>: Sendable {
  private let answers = Mutex<[Answer]>([])

  var all: [Answer] { answers.withLock { $0 } }

  func add(_ answer: Answer) { answers.withLock { $0.append(answer) } }
}

private final class Winner: Sendable {
  let wasCancelled: Bool

  init(wasCancelled: Bool) { self.wasCancelled = wasCancelled }
}

/// An operation that ends when the test says so, and for no other reason.
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
