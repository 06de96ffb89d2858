import Supporting
import Synchronization
import TestSupport
import Testing

@Suite("Waiter", .timeLimit(.minutes(5)))
struct WaiterTests {
  private enum Answer { case granted, cancelled }

  /// Waiters in the order of their arrival.
  private final class List: Sendable {
    private let waiters = Mutex<[Waiter<Answer>]>([])

    var count: Int { waiters.withLock { $0.count } }

    /// - Parameter willWait: called once the waiter is in the list.
    func wait(_ waiter: Waiter<Answer> = Waiter(), willWait: () -> Void = {}) async -> Answer {
      waiters.withLock { $0.append(waiter) }
      willWait()
      return await waiter.wait(cancelled: .cancelled) {
        waiters.withLock { waiters in
          waiters.firstIndex { $0 === waiter }.map { waiters.remove(at: $0) }
        }
      }
    }

    /// - Returns: whether there was a waiter.
    @discardableResult
    func grant() -> Bool {
      let first = waiters.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      first?.resume(returning: .granted)
      return first != nil
    }
  }

  @Test("waiters get their answers in the order of the list") func answered() async throws {
    let list = List()
    let first = Task { await list.wait() }
    try #require(await eventually { list.count == 1 })
    let second = Task { await list.wait() }
    try #require(await eventually { list.count == 2 })
    list.grant()
    #expect(await first.value == .granted)
    #expect(list.count == 1)
    list.grant()
    #expect(await second.value == .granted)
  }

  @Test("an answer that comes before the wait is kept") func early() async {
    let list = List()
    #expect(await list.wait { list.grant() } == .granted)
    #expect(list.count == 0)
  }

  @Test("a cancelled task does not wait, and leaves the list") func cancelledBefore() async {
    let list = List()
    let waiter = Waiter<Answer>()
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await list.wait(waiter)
    }
    #expect(await task.value == .cancelled)
    #expect(list.count == 0)
    // This is too late, and must not resume the task again.
    waiter.resume(returning: .granted)
  }

  @Test("a task that is cancelled while it waits leaves the list, and the others stay") func cancelledDuring()
    async throws
  {
    let list = List()
    let tasks = (0..<3).map { _ in Task { await list.wait() } }
    try #require(await eventually { list.count == 3 })
    tasks[1].cancel()
    #expect(await tasks[1].value == .cancelled)
    #expect(list.count == 2)
    while list.grant() {}
    #expect(await tasks[0].value == .granted)
    #expect(await tasks[2].value == .granted)
  }

  @Test("an answer is not lost if its task is cancelled before the wait", arguments: [false, true])
  func cancelledAfter(answersFirst: Bool) async {
    let list = List()
    let task = Task {
      await list.wait {
        if answersFirst { list.grant() }
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        if !answersFirst { list.grant() }
      }
    }
    #expect(await task.value == .granted)
    #expect(!list.grant())
  }

  @Test("a cancelled task that was already taken out of the list waits for its answer") func underWay()
    async throws
  {
    let waiter = Waiter<Answer>()
    let cancellations = Counter()
    let task = Task {
      await waiter.wait(cancelled: .cancelled) {
        cancellations.add()
        return nil
      }
    }
    task.cancel()
    try #require(await eventually { cancellations.count == 1 })
    waiter.resume(returning: .granted)
    #expect(await task.value == .granted)
  }

  @Test("only the first answer counts") func twice() async {
    let early = Waiter<Answer>()
    for answer in [Answer.granted, .cancelled] { early.resume(returning: answer) }
    #expect(await early.wait(cancelled: .cancelled) { nil } == .granted)
    let waiting = Waiter<Answer>()
    let task = Task { await waiting.wait(cancelled: .cancelled) { nil } }
    for answer in [Answer.granted, .cancelled] { waiting.resume(returning: answer) }
    #expect(await task.value == .granted)
  }

  /// Answers and cancellations race, before, while and after each task starts to wait.
  @Test("each of many waiters is answered once, and none is leaked") func races() async {
    let list = List()
    let received = Counter()
    let given = Counter()
    let kept = WeakReferences()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<5_000 {
        let task = Task {
          let waiter = Waiter<Answer>()
          kept.add(waiter)
          if await list.wait(waiter) == .granted { received.add() }
        }
        group.addTask {
          if number % 3 == 0 { await Task.yield() }
          task.cancel()
          await task.value
        }
        group.addTask {
          if number % 2 == 0 { await Task.yield() }
          if list.grant() { given.add() }
        }
      }
    }
    #expect(received.count == given.count)
    #expect(list.count == 0)
    #expect(kept.count == 0)
  }

  /// Counts the waiters that still exist.
  private final class WeakReferences: Sendable {
    private struct Reference { weak var waiter: Waiter<Answer>? }

    private let references = Mutex<[Reference]>([])

    var count: Int { references.withLock { $0.count { $0.waiter != nil } } }

    func add(_ waiter: Waiter<Answer>) { references.withLock { $0.append(Reference(waiter: waiter)) } }
  }
}
