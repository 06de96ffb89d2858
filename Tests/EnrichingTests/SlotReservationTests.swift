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

  @Test("the map keeps the order of its elements, and the limit", arguments: [1, 3, 40])
  func map(slots: Int) async throws {
    let reservation = try await TransferSlots(slots).reserve()
    let running = Mutex((now: 0, highest: 0))
    let values = await reservation.concurrentMap(Array(0..<30), stopOnNil: false) { number -> Int? in
      running.withLock {
        $0.now += 1
        $0.highest = max($0.highest, $0.now)
      }
      await Task.yield()
      running.withLock { $0.now -= 1 }
      return number % 3 == 0 ? nil : number * 2
    }
    #expect(values == (0..<30).map { $0 % 3 == 0 ? nil : $0 * 2 })
    #expect(running.withLock { $0.highest } <= slots)
  }

  @Test("the map of no elements is empty") func empty() async throws {
    let slots = TransferSlots(3)
    let values = await (try slots.reserve()).concurrentMap([Int](), stopOnNil: true) { $0 }
    #expect(values.isEmpty)
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

  @Test("the first nil ends the map if it is to stop on nil", arguments: [1, 4])
  func stopping(slots: Int) async throws {
    let reservation = try await TransferSlots(slots).reserve()
    let values = await reservation.concurrentMap(Array(0..<1_000), stopOnNil: true) { number -> Int? in
      number == 2 ? nil : number
    }
    #expect(values[2] == nil)
    #expect(values.contains(nil))
    #expect(values.count == 1_000)
  }

  @Test("a cancelled map begins no more elements") func cancelled() async throws {
    let reservation = try await TransferSlots(1).reserve()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await reservation.concurrentMap([1, 2, 3], stopOnNil: false) { $0 }
    }
    task.cancel()
    #expect(await task.value == [nil, nil, nil])
  }
}

/// Slots that are lent while a medium waits.
@Suite("Lent slots", .timeLimit(.minutes(1)))
struct LentSlotTests {
  @Test("a lent slot is free for others, and reacquired after them") func lending() async throws {
    let slots = TransferSlots(1)
    let reservation = try await slots.reserve()
    reservation.lend()
    #expect(slots.free == 1)
    let other = try await slots.reserve()
    let back = Task { try await reservation.reacquire() }
    other.release()
    try await back.value
    #expect(slots.free == 0)
    // Nothing is lent any more.
    try await reservation.reacquire()
    reservation.release()
    #expect(slots.free == 1)
  }

  @Test("a slot that is released goes to the transfer that has lent one") func releasingOne() async throws {
    let slots = TransferSlots(2)
    let reservation = try await slots.reserve()
    #expect(reservation.grow(to: 2) == 2)
    reservation.lend()
    #expect(slots.free == 1)
    reservation.releaseOne()
    #expect(slots.free == 1)
    // It holds the slot that was not lent: there is nothing to reacquire.
    try await reservation.reacquire()
    #expect(slots.free == 1)
    reservation.release()
    #expect(slots.free == 2)
  }

  @Test("a lent slot is not reacquired once all were given back") func leaving() async throws {
    let slots = TransferSlots(1)
    let reservation = try await slots.reserve()
    reservation.lend()
    reservation.release()
    try await reservation.reacquire()
    reservation.lend()
    #expect(slots.free == 1)
  }
}
