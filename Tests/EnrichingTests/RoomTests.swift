import Synchronization
import Testing

@testable import Enriching

@Suite("Room", .timeLimit(.minutes(1)))
struct RoomTests {
  @Test("takes what is free for several media, and gives it back") func widening() async throws {
    let budget = MemoryBudget(total: .max, slots: 5)
    let room = try await budget.room()
    #expect(room.widen(to: 3) == 3)
    #expect(budget.free == 2)
    #expect(room.widen(to: 24) == 5)
    #expect(room.widen(to: 1) == 5)
    room.narrow()
    #expect(budget.free == 1)
    room.leave()
    #expect(budget.free == 5)
    // A second time there is nothing to give back.
    room.leave()
    #expect(budget.free == 5)
  }

  @Test("the last transfer keeps its slot") func narrowing() async throws {
    let budget = MemoryBudget(total: .max, slots: 2)
    let room = try await budget.room()
    room.narrow()
    #expect(room.widen(to: 1) == 1)
    #expect(budget.free == 1)
  }

  @Test("one that is forgotten is free again") func forgotten() async throws {
    let budget = MemoryBudget(total: .max, slots: 1)
    _ = try await budget.room()
    #expect(budget.free == 1)
  }

  @Test("each element gets its value, in its place", arguments: [1, 3, 40])
  func map(slots: Int) async throws {
    let room = try await MemoryBudget(total: .max, slots: slots).room()
    let running = Mutex((now: 0, highest: 0))
    let values = await room.map(Array(0..<30), stopsAtNil: false) { number -> Int? in
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

  @Test("nothing is nothing") func empty() async throws {
    let budget = MemoryBudget(total: .max, slots: 3)
    let values = await (try budget.room()).map([Int](), stopsAtNil: true) { $0 }
    #expect(values.isEmpty)
  }

  @Test("a medium that waits twice lends its own, and not another's") func place() async throws {
    let budget = MemoryBudget(total: .max, slots: 2)
    let room = try await budget.room()
    #expect(room.widen(to: 2) == 2)
    let place = Place(in: room)
    for _ in 0..<2 {
      place.lend()
      place.lend()
      #expect(budget.free == 1)
      try await place.takeBack()
      #expect(budget.free == 0)
    }
    // One that was refused has taken nothing back: the next medium does.
    place.lend()
    try await Place(in: room).takeBack()
    #expect(budget.free == 0)
    room.leave()
    #expect(budget.free == 2)
  }

  @Test("the first failure ends it where all are needed", arguments: [1, 4])
  func stopping(slots: Int) async throws {
    let room = try await MemoryBudget(total: .max, slots: slots).room()
    let values = await room.map(Array(0..<1_000), stopsAtNil: true) { number -> Int? in
      number == 2 ? nil : number
    }
    #expect(values[2] == nil)
    #expect(values.contains(nil))
    #expect(values.count == 1_000)
  }

  @Test("a cancelled task begins no more") func cancelled() async throws {
    let room = try await MemoryBudget(total: .max, slots: 1).room()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await room.map([1, 2, 3], stopsAtNil: false) { $0 }
    }
    task.cancel()
    #expect(await task.value == [nil, nil, nil])
  }
}

/// What is lent while another payload's transfer is waited for.
@Suite("Room that is lent", .timeLimit(.minutes(1)))
struct LentRoomTests {
  @Test("is free for others, and comes back in its turn") func lending() async throws {
    let budget = MemoryBudget(total: .max, slots: 1)
    let room = try await budget.room()
    room.lend()
    #expect(budget.free == 1)
    let other = try await budget.room()
    let back = Task { try await room.takeBack() }
    other.leave()
    try await back.value
    #expect(budget.free == 0)
    // Nothing is lent any more.
    try await room.takeBack()
    room.leave()
    #expect(budget.free == 1)
  }

  @Test("goes to whoever has lent its own, before it becomes free") func narrowing() async throws {
    let budget = MemoryBudget(total: .max, slots: 2)
    let room = try await budget.room()
    #expect(room.widen(to: 2) == 2)
    room.lend()
    #expect(budget.free == 1)
    room.narrow()
    #expect(budget.free == 1)
    // What it has now is the one that was not lent.
    try await room.takeBack()
    #expect(budget.free == 1)
    room.leave()
    #expect(budget.free == 2)
  }

  @Test("is nobody's once all of it was given back") func leaving() async throws {
    let budget = MemoryBudget(total: .max, slots: 1)
    let room = try await budget.room()
    room.lend()
    room.leave()
    try await room.takeBack()
    room.lend()
    #expect(budget.free == 1)
  }
}
