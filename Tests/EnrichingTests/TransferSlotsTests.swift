import Synchronization
import Testing

@testable import Enriching

@Suite("TransferSlots", .timeLimit(.minutes(1)))
struct TransferSlotsTests {
  @Test("as many are admitted as there are slots", arguments: [1, 4, 64])
  func limit(count: Int) async throws {
    let slots = TransferSlots(count)
    let peak = Peak()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          try? await slots.withSlot {
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
    #expect(slots.free == count)
    #expect(await Self.fill(slots, count: count) == count)
  }

  @Test("without any slot, reserving one fails at once") func none() async {
    let slots = TransferSlots(0, memory: 1_000)
    let failure = Failure(.memoryExceeded, "1000 bytes leave no room for a single transfer")
    await #expect(throws: failure) { try await slots.reserve() }
    #expect(slots.lack == failure)
    #expect(TransferSlots(1, memory: 1_000).lack == nil)
  }

  @Test("waiters are admitted in the order in which they came") func order() async throws {
    let slots = Self.one()
    let gate = Gate()
    let order = Order()
    let holder = Task { try await slots.withSlot { await gate.wait() } }
    await gate.reached()
    var waiters: [Task<Void, any Error>] = []
    for number in 0..<5 {
      waiters.append(Task { try await slots.withSlot { order.note(number) } })
      await Self.settle()
    }
    gate.open()
    try await holder.value
    for waiter in waiters { try await waiter.value }
    #expect(order.numbers == [0, 1, 2, 3, 4])
  }

  @Test("a waiter that is cancelled leaves at once, and takes no slot") func cancellation() async throws {
    let slots = Self.one()
    let gate = Gate()
    let holder = Task { try await slots.withSlot { await gate.wait() } }
    await gate.reached()
    let waiter = Task { try await slots.withSlot { () async throws(Failure) -> Void in } }
    await Self.settle()
    waiter.cancel()
    await #expect(throws: Failure(.deadlineExceeded, "there was no room in memory before it")) {
      try await waiter.value
    }
    gate.open()
    try await holder.value
    #expect(await Self.fill(slots, count: 1) == 1)
  }

  @Test("a slot is given back after an error") func failure() async throws {
    let slots = Self.one()
    await #expect(throws: Failure(.noMedia, "test")) {
      try await slots.withSlot { () async throws(Failure) in throw Failure(.noMedia, "test") }
    }
    #expect(await Self.fill(slots, count: 1) == 1)
  }

  private static func one() -> TransferSlots { TransferSlots(1) }

  /// Time for a task to come to its wait. It need not be enough: nothing fails if it is not.
  private static func settle() async {
    for _ in 0..<100 { await Task.yield() }
    try? await Task.sleep(for: .milliseconds(20))
  }

  /// How many are inside together when `count` enter and wait for each other.
  private static func fill(_ slots: TransferSlots, count: Int) async -> Int {
    let peak = Peak()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          try? await slots.withSlot {
            peak.enter()
            while peak.total < count, !Task.isCancelled { await Task.yield() }
          }
        }
      }
    }
    return peak.highest
  }
}

extension TransferSlots {
  /// Runs `body` once there is a slot.
  fileprivate func withSlot(_ body: () async throws(Failure) -> Void) async throws(Failure) {
    let reservation = try await reserve()
    defer { reservation.release() }
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

/// Holds its waiters until it is opened.
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

/// The order in which they came.
private final class Order: Sendable {
  private let state = Mutex<[Int]>([])

  var numbers: [Int] { state.withLock { $0 } }

  func note(_ number: Int) { state.withLock { $0.append(number) } }
}
