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

  @Test("a step that neither ends nor heeds its cancellation is left behind") func stuck() async {
    let step = Step()
    #expect(await Deadline(.milliseconds(20)).limit { await step.run() } == nil)
    #expect(await eventually { step.wasCancelled })
    // Late, and of no use to anybody: but no second answer either.
    step.finish()
    await step.ended()
  }

  @Test("a deadline that is past leaves time for nothing") func past() async {
    let step = Step()
    #expect(await Deadline(.seconds(1), from: .now - .seconds(2)).limit { await step.run() } == nil)
    step.finish()
  }

  @Test("a step that wins is not cancelled afterwards") func calm() async {
    let wasCancelled = await Deadline(.seconds(30)).limit {
      await Task.yield()
      return Task.isCancelled
    }
    #expect(wasCancelled == false)
  }

  @Test("many races are each settled once") func races() async {
    let answers = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<500 {
        group.addTask {
          await Deadline(.microseconds(number)).limit {
            try? await Task.sleep(for: .microseconds(250))
            return number
          }
        }
      }
      return await group.reduce(into: 0) { count, _ in count += 1 }
    }
    #expect(answers == 500)
  }

  @Test("no deadline is longer than iOS's") func maximum() {
    let start = ContinuousClock.now
    #expect(Deadline(.seconds(90), from: start).end == start + .seconds(30))
    #expect(Deadline(.seconds(2), from: start).end == start + .seconds(2))
  }
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
