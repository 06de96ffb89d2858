import Synchronization
import Testing

@testable import Enriching

@Suite("MemoryBudget", .timeLimit(.minutes(1)))
struct MemoryBudgetTests {
  @Test("admits as many as there are slots", arguments: [1, 4, 64])
  func slots(count: Int) async throws {
    let budget = MemoryBudget(total: .max, slots: count)
    let peak = Peak()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          try? await budget.inRoom {
            peak.enter()
            await Task.yield()
            peak.leave()
          }
        }
      }
    }
    #expect(peak.total == 200)
    #expect(peak.highest <= count)
    // All are free again, and all can be had at once.
    #expect(budget.free == count)
    #expect(await Self.fill(budget, count: count) == count)
  }

  @Test("one that never fits is told so") func none() async {
    let budget = MemoryBudget(total: 1_000, slots: 0)
    let failure = Failure(.memoryExceeded, "1000 bytes leave no room for a single transfer")
    await #expect(throws: failure) { try await budget.room() }
    #expect(budget.lack == failure)
    #expect(MemoryBudget(total: 1_000, slots: 1).lack == nil)
  }

  @Test("those who wait are admitted in the order in which they came") func order() async throws {
    let budget = Self.one()
    let gate = Gate()
    let order = Order()
    let holder = Task { try await budget.inRoom { await gate.wait() } }
    await gate.reached()
    var waiters: [Task<Void, any Error>] = []
    for number in 0..<5 {
      waiters.append(Task { try await budget.inRoom { order.note(number) } })
      await Self.settle()
    }
    gate.open()
    try await holder.value
    for waiter in waiters { try await waiter.value }
    #expect(order.numbers == [0, 1, 2, 3, 4])
  }

  @Test("whoever is cancelled while waiting goes at once, and keeps no room") func cancellation() async throws
  {
    let budget = Self.one()
    let gate = Gate()
    let holder = Task { try await budget.inRoom { await gate.wait() } }
    await gate.reached()
    let waiter = Task { try await budget.inRoom { () async throws(Failure) -> Void in } }
    await Self.settle()
    waiter.cancel()
    await #expect(throws: Failure(.deadlineExceeded, "there was no room in memory before it")) {
      try await waiter.value
    }
    gate.open()
    try await holder.value
    #expect(await Self.fill(budget, count: 1) == 1)
  }

  @Test("what fails gives its room back") func failure() async throws {
    let budget = Self.one()
    await #expect(throws: Failure(.noMedia, "test")) {
      try await budget.inRoom { () async throws(Failure) in throw Failure(.noMedia, "test") }
    }
    #expect(await Self.fill(budget, count: 1) == 1)
  }

  @Test("is exceeded when the process has more") func exceeded() {
    #expect(MemoryBudget(total: 1, slots: 1).isExceeded)
    #expect(!MemoryBudget(total: .max, slots: 1).isExceeded)
  }

  @Test("is looked at with the first bytes, and for as long as it is exceeded") func looks() {
    let exceeded = MemoryBudget(total: 1, slots: 1)
    for _ in 0..<3 { #expect(exceeded.isExceeded(after: 1)) }
    let other = MemoryBudget(total: .max, slots: 1)
    for count in [1, 1, 1_000_000, 1] { #expect(!other.isExceeded(after: count)) }
  }

  private static func one() -> MemoryBudget { MemoryBudget(total: .max, slots: 1) }

  /// Time for a task to come to its wait. It need not be enough: nothing fails if it is not.
  private static func settle() async {
    for _ in 0..<100 { await Task.yield() }
    try? await Task.sleep(for: .milliseconds(20))
  }

  /// How many are inside together when `count` enter and wait for each other.
  private static func fill(_ budget: MemoryBudget, count: Int) async -> Int {
    let peak = Peak()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          try? await budget.inRoom {
            peak.enter()
            while peak.total < count, !Task.isCancelled { await Task.yield() }
          }
        }
      }
    }
    return peak.highest
  }
}

extension MemoryBudget {
  /// Runs `body` when there is room.
  fileprivate func inRoom(_ body: () async throws(Failure) -> Void) async throws(Failure) {
    let room = try await room()
    defer { room.leave() }
    try await body()
  }
}

/// How many there are at once.
private final class Peak: Sendable {
  private let state = Mutex((now: 0, highest: 0, total: 0))

  var highest: Int { state.withLock { $0.highest } }
  var total: Int { state.withLock { $0.total } }

  func enter() {
    state.withLock {
      $0.now += 1
      $0.total += 1
      $0.highest = max($0.highest, $0.now)
    }
  }

  func leave() { state.withLock { $0.now -= 1 } }
}

/// Holds whoever waits at it until it is opened.
private final class Gate: Sendable {
  private let state = Mutex((isReached: false, isOpen: false))

  func wait() async {
    state.withLock { $0.isReached = true }
    while !state.withLock({ $0.isOpen }), !Task.isCancelled { await Task.yield() }
  }

  func reached() async {
    while !state.withLock({ $0.isReached }), !Task.isCancelled { await Task.yield() }
  }

  func open() { state.withLock { $0.isOpen = true } }
}

/// Who came when.
private final class Order: Sendable {
  private let state = Mutex<[Int]>([])

  var numbers: [Int] { state.withLock { $0 } }

  func note(_ number: Int) { state.withLock { $0.append(number) } }
}
