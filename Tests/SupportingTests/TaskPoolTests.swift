import Synchronization
import TestSupport
import Testing

@testable import Supporting

@Suite("TaskPool", .timeLimit(.minutes(5)))
struct TaskPoolTests {
  @Test("an operation runs to its end, and the next one runs on the same task") func reuse() async throws {
    let pool = TaskPool(keeping: 1)
    // Until a task that has answered asks for the next operation, another one may be started.
    var run = 0
    #expect(
      try await eventually {
        run += 1
        return await beginner(in: pool, of: run) < run
      })
  }

  @Test("operations that are started at once run at once") func together() async {
    let pool = TaskPool(keeping: 1)
    let begun = Count()
    for _ in 0..<20 {
      pool.run { _ in
        begun.add()
        while begun.value < 20 { await Task.yield() }
      }
    }
    #expect(await eventually { begun.value == 20 })
  }

  @Test("an operation can be cancelled, even before it starts, without affecting others") func cancelled()
    async
  {
    let pool = TaskPool(keeping: 4)
    for _ in 0..<200 {
      let (isCancelled, wasCancelled) = (Waiter<Bool>(), Waiter<Bool>())
      let operation = pool.run { _ in
        while !Task.isCancelled { await Task.yield() }
        isCancelled.resume(returning: true)
      }
      let other = pool.run { _ in wasCancelled.resume(returning: Task.isCancelled) }
      operation.cancel()
      #expect(await isCancelled.wait(cancelled: false) { nil })
      #expect(await wasCancelled.wait(cancelled: true) { nil } == false)
      other.cancel()
    }
  }

  @Test("a late cancellation does not affect the next operation") func late() async {
    let pool = TaskPool(keeping: 1)
    let before = Last()
    for number in 0..<500 {
      let answer = Waiter<Bool>()
      let operation = pool.run { _ in
        before.operation.withLock { $0 }?.cancel()
        if number % 2 == 0 { await Task.yield() }
        answer.resume(returning: Task.isCancelled)
      }
      #expect(await answer.wait(cancelled: true) { nil } == false)
      before.operation.withLock { $0 = operation }
    }
  }

  @Test("an operation is released once it has ended, even if it can still be cancelled")
  func freed() async {
    let pool = TaskPool(keeping: 1)
    weak var forgotten: Held?
    for _ in 0..<2 {
      let answer = Waiter<Bool>()
      let operation: PooledOperation
      do {
        let held = Held()
        forgotten = held
        operation = pool.run { _ in answer.resume(returning: held.isThere) }
      }
      #expect(await answer.wait(cancelled: false) { nil })
      while forgotten != nil, !Task.isCancelled { await Task.yield() }
      #expect(forgotten == nil)
      operation.cancel()
    }
  }

  @Test("an operation gets the handle that cancels it") func own() async {
    let pool = TaskPool(keeping: 1)
    for _ in 0..<2 {
      let answer = Waiter<Bool>()
      pool.run { work in
        let wasCancelled = Task.isCancelled
        work.cancel()
        answer.resume(returning: !wasCancelled && Task.isCancelled)
      }
      #expect(await answer.wait(cancelled: false) { nil })
    }
  }

  @Test("cancelling all cancels running operations at once, and later ones from their start")
  func allCancelled() async {
    for _ in 0..<100 {
      let pool = TaskPool(keeping: 4)
      let cancelled = Count()
      // This leaves an idle task behind.
      let first = Waiter<Bool>()
      pool.run { _ in first.resume(returning: true) }
      #expect(await first.wait(cancelled: false) { nil })
      func begin() {
        pool.run { _ in
          while !Task.isCancelled { await Task.yield() }
          cancelled.add()
        }
      }
      for _ in 0..<5 { begin() }
      pool.cancelAll()
      let late = Waiter<Bool>()
      pool.run { _ in late.resume(returning: Task.isCancelled) }
      #expect(await late.wait(cancelled: false) { nil })
      #expect(await eventually { cancelled.value == 5 })
    }
  }

  @Test("each operation runs once, and there are no more tasks than operations") func once() async {
    let (pool, done) = (TaskPool(keeping: 3), Count())
    for number in 0..<1_000 {
      pool.run { _ in done.add(number) }
      if number % 10 == 0 { await Task.yield() }
    }
    #expect(await eventually { done.value == 1_000 })
    #expect(done.all == Array(0..<1_000))
    #expect(await eventually { (1...3).contains(pool.taskCount) })
    pool.close()
  }

  @Test("each operation runs once, and no more tasks are kept than the pool allows") func few() async {
    let pool = TaskPool(keeping: 2)
    let (begun, ended) = (Count(), Count())
    for number in 0..<10 {
      pool.run { _ in
        begun.add(number)
        while begun.value < 10 { await Task.yield() }
        ended.add(number)
      }
    }
    #expect(await eventually { ended.value == 10 })
    #expect(begun.all == Array(0..<10))
    #expect(await eventually { pool.taskCount == 2 })
    pool.close()
    #expect(await eventually { pool.taskCount == 0 })
  }

  /// Returns the run in which the task of the next operation was started.
  private func beginner(in pool: TaskPool, of run: Int) async -> Int {
    let answer = Waiter<Int>()
    Self.$run.withValue(run) {
      _ = pool.run { _ in answer.resume(returning: Self.run) }
    }
    return await answer.wait(cancelled: 0) { nil }
  }

  @TaskLocal private static var run = 0
}

private final class Count: Sendable {
  private let numbers = Mutex<[Int]>([])

  var value: Int { numbers.withLock { $0.count } }
  var all: [Int] { numbers.withLock { $0.sorted() } }

  func add(_ number: Int = 0) { numbers.withLock { $0.append(number) } }
}

private final class Last: Sendable {
  let operation = Mutex<PooledOperation?>(nil)
}

private final class Held: Sendable {
  let isThere = true
}
