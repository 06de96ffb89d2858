import Synchronization
import Testing

@testable import Enriching

@Suite("SlotReservation", .timeLimit(.minutes(1)))
struct SlotReservationTests {
  @Test("grows to what is free, and gives it back") func growing() async throws {
    let slots = TransferSlots(5)
    let reservation = try await slots.reserve()
    #expect(reservation.grow(to: 3) == 3)
    #expect(slots.free == 2)
    #expect(reservation.grow(to: 24) == 5)
    #expect(reservation.grow(to: 1) == 5)
    reservation.releaseOne()
    #expect(slots.free == 1)
    reservation.release()
    #expect(slots.free == 5)
    // A second time there is nothing to give back.
    reservation.release()
    #expect(slots.free == 5)
  }

  @Test("slots for payloads that are still to come are in use once these have come") func ahead() async throws
  {
    let slots = TransferSlots(3)
    let (one, other) = (try await slots.reserve(ahead: true), try await slots.reserve(ahead: true))
    let third = try await slots.reserve()
    #expect((slots.free, slots.inUse) == (0, 1))
    one.begin()
    one.begin()
    #expect(slots.inUse == 2)
    for reservation in [one, other, third] { reservation.release() }
    #expect((slots.free, slots.inUse) == (3, 0))
  }

  @Test("the last slot is kept") func releasingOne() async throws {
    let slots = TransferSlots(2)
    let reservation = try await slots.reserve()
    reservation.releaseOne()
    #expect(reservation.grow(to: 1) == 1)
    #expect(slots.free == 1)
  }

  @Test("slots of a forgotten reservation are free again") func forgotten() async throws {
    let slots = TransferSlots(1)
    _ = try await slots.reserve()
    #expect(slots.free == 1)
  }

  @Test("each element is begun once, within the limit", arguments: [1, 3, 40])
  func elements(slots: Int) async throws {
    let reservation = try await TransferSlots(slots).reserve()
    let state = Mutex((running: 0, highest: 0, begun: [Int]()))
    await reservation.forEach(Array(0..<30)) { number in
      state.withLock {
        $0.running += 1
        $0.highest = max($0.highest, $0.running)
        $0.begun.append(number)
      }
      await Task.yield()
      state.withLock { $0.running -= 1 }
      return true
    }
    let (_, highest, begun) = state.withLock { $0 }
    #expect(slots == 1 ? begun == Array(0..<30) : begun.sorted() == Array(0..<30))
    #expect(highest <= slots)
  }

  @Test("with no elements nothing is begun") func empty() async throws {
    await (try TransferSlots(3).reserve()).forEach([Int]()) { _ in
      Issue.record("there is no element")
      return true
    }
  }

  @Test("a medium that waits twice lends one slot") func loan() async throws {
    let slots = TransferSlots(2)
    let reservation = try await slots.reserve()
    #expect(reservation.grow(to: 2) == 2)
    let loan = SlotLoan(from: reservation)
    for _ in 0..<2 {
      loan.lend()
      loan.lend()
      #expect(slots.free == 1)
      try await loan.reacquire()
      #expect(slots.free == 0)
    }
    // A medium that was refused reacquires nothing: the next one does.
    loan.lend()
    try await SlotLoan(from: reservation).reacquire()
    #expect(slots.free == 0)
    reservation.release()
    #expect(slots.free == 2)
  }

  @Test("the first that does not go on ends it all", arguments: [1, 4])
  func stopping(slots: Int) async throws {
    let reservation = try await TransferSlots(slots).reserve()
    let begun = Mutex(Set<Int>())
    await reservation.forEach(Array(0..<100_000)) { number in
      begun.withLock { _ = $0.insert(number) }
      return number != 2
    }
    let numbers = begun.withLock { $0 }
    #expect(numbers.contains(2))
    #expect(numbers.count < 100_000)
  }

  @Test("cancelled, it begins no more elements") func cancelled() async throws {
    let reservation = try await TransferSlots(1).reserve()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      await reservation.forEach([1, 2, 3]) { number in
        Issue.record("\(number) was begun")
        return true
      }
    }
    task.cancel()
    await task.value
  }
}
