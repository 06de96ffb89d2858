import Supporting
import Synchronization
import TestSupport
import Testing

@testable import Fetching

@Suite("Places", .timeLimit(.minutes(5)))
struct PlaceTests {
  @Test("a reservation grows to what is free, and gives it back") func growing() async {
    let admission = Admission(limits: nil, places: 5)
    let places = await admission.place()
    #expect(places.grow(to: 3) == 3)
    #expect(admission.inUse == 3)
    #expect(places.grow(to: 24) == 5)
    #expect(places.grow(to: 1) == 5)
    places.releaseOne()
    #expect(admission.inUse == 4)
    places.release()
    #expect(admission.inUse == 0)
    // Releasing a second time has no effect.
    places.release()
    #expect(admission.inUse == 0)
  }

  @Test("places that are reserved ahead count as in use once their payloads have arrived") func ahead() async
  {
    let admission = Admission(limits: .small, places: 4)
    let ahead = await admission.take(.ahead(upTo: 2, size: 100, mayReturn: true))
    let third = await admission.place()
    #expect(ahead.count == 2)
    #expect((admission.free, admission.inUse) == (1, 1))
    ahead[0].grow(to: 1)
    ahead[0].grow(to: 1)
    #expect(admission.inUse == 2)
    for places in ahead + [third] { places.release() }
    #expect((admission.free, admission.inUse) == (4, 0))
  }

  @Test(
    "half of the free places are left to payloads with several media",
    arguments: [(9, 5), (2, 1), (1, 1), (0, 0)])
  func half(free: Int, taken: Int) {
    let admission = Admission(limits: .small, places: free)
    #expect(admission.takeNow(.ahead(upTo: 64, size: 100, mayReturn: true)).count == taken)
    #expect(admission.free == free)
  }

  @Test("a payload keeps its last place") func releasingOne() async {
    let admission = Admission(limits: nil, places: 2)
    let places = await admission.place()
    places.releaseOne()
    #expect(places.grow(to: 1) == 1)
    #expect(admission.free == 1)
  }

  @Test("the places of a dropped reservation are free again") func forgotten() async {
    let admission = Admission(limits: nil, places: 1)
    _ = await admission.place()
    #expect(admission.free == 1)
  }

  @Test("no more payloads have places than there are places", arguments: [1, 4, 64]) func limit(count: Int)
    async
  {
    let admission = Admission(limits: nil, places: count)
    let state = Shared((now: 0, highest: 0, total: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          let places = await admission.place()
          state.value.withLock { $0 = ($0.now + 1, max($0.highest, $0.now + 1), $0.total + 1) }
          await Task.yield()
          state.value.withLock { $0.now -= 1 }
          places.release()
        }
      }
    }
    #expect(state.value.withLock { $0.total } == 200)
    #expect(state.value.withLock { $0.highest } <= count)
    // All places are free again, and can be taken at once.
    #expect(await admission.place().grow(to: count) == count)
    #expect(admission.free == count)
  }

  @Test("waiting payloads get places in the order of their arrival, and cancelled ones get none") func order()
    async
  {
    let admission = Admission(limits: nil, places: 1)
    let holder = await admission.place()
    let order = Shared<[Int]>([])
    var waiters: [Task<Void, Never>] = []
    for number in 0..<5 {
      waiters.append(
        Task {
          guard let places = await admission.take(.here).first else { return }
          order.value.withLock { $0.append(number) }
          places.release()
        })
      #expect(await eventually { admission.shared.withLock { $0.intakes.count } == number + 1 })
    }
    waiters[2].cancel()
    await waiters[2].value
    holder.release()
    for waiter in waiters { await waiter.value }
    #expect(order.value.withLock { $0 } == [0, 1, 3, 4])
    #expect(admission.free == 1)
  }

  @Test("a medium that waits for its host lends its place to others, and continues when it gets one again")
  func lending() throws {
    var simulation = Simulation(places: 1)
    let holders = try (0..<2).map { try simulation.send("a", $0) }
    let first = try simulation.turnWithPlace()
    let waiting = try simulation.ask("a", 3, turn: first)
    let second = try simulation.turnWithPlace()
    simulation.answer(holders[0], at: at(0.1))
    #expect(simulation.isWaiting(waiting))
    // No other payload overtakes it.
    simulation.update { $0.releasePlaces(of: second, at: at(0.2)) }
    #expect(simulation.decisions[waiting] == .granted)
    #expect(simulation.scheduler.take(.here, at: at(0.2)).isEmpty)
    simulation.update { $0.releasePlaces(of: first, at: at(0.3)) }
    #expect(simulation.scheduler.free == 1)
  }

  @Test("a payload gets no place while a medium waits for one") func precedence() throws {
    var simulation = Simulation(places: 2)
    let holders = try (0..<2).map { try simulation.send("a", $0) }
    let turns = try [simulation.turnWithPlace(), simulation.turnWithPlace()]
    let waiting = try turns.map { try simulation.ask("a", 3, turn: $0) }
    let others = try [simulation.turnWithPlace(), simulation.turnWithPlace()]
    for holder in holders { simulation.answer(holder, at: at(0.1)) }
    #expect(waiting.allSatisfy { simulation.isWaiting($0) })
    simulation.update { $0.releasePlaces(of: others[0], at: at(0.2)) }
    #expect(waiting.map { simulation.decisions[$0] } == [.granted, nil])
    #expect(simulation.scheduler.take(.here, at: at(0.2)).isEmpty)
    simulation.update { $0.releasePlaces(of: others[1], at: at(0.2)) }
    #expect(simulation.decisions[waiting[1]] == .granted)
  }

  @Test("a medium that waits twice lends one place") func lendingOnce() throws {
    var simulation = Simulation(places: 2)
    for url in 0..<2 { try simulation.send("a", url) }
    let turn = try simulation.turnWithPlace()
    #expect(simulation.scheduler.grow(turn, to: 2) == 2)
    // First for the download of another payload, and then for its host.
    simulation.update { $0.beginWaiting(turn, at: at(0)) }
    #expect(simulation.scheduler.free == 1)
    simulation.scheduler.endWaiting(turn)
    let waiting = try simulation.ask("a", 3, turn: turn)
    #expect(simulation.isWaiting(waiting))
    #expect(simulation.scheduler.free == 1)
  }

  @Test("if one of two media ends while it waits, the other gets its place") func endedWaiting() throws {
    var simulation = Simulation(places: 2)
    let turn = try simulation.turnWithPlace()
    #expect(simulation.scheduler.grow(turn, to: 2) == 2)
    simulation.update { $0.beginWaiting(turn, at: at(0)) }
    simulation.scheduler.endWaiting(turn)
    simulation.update { $0.releaseOne(turn, at: at(0.1)) }
    #expect(simulation.scheduler.free == 1)
  }

  @Test("a medium that holds its place needs no other, whatever the other media of its payload wait for")
  func own() throws {
    var simulation = Simulation(places: 2)
    let holders = try (0..<2).map { try simulation.send("a", $0) }
    let turn = try simulation.turnWithPlace()
    #expect(simulation.scheduler.grow(turn, to: 2) == 2)
    let waiting = try simulation.ask("a", 3, turn: turn)
    // Another payload has the place that was lent.
    let other = try simulation.turnWithPlace()
    let own = try simulation.ask("b", turn: turn)
    #expect(simulation.decisions[own] == .granted)
    for holder in holders { simulation.answer(holder, at: at(0.1)) }
    #expect(simulation.isWaiting(waiting))
    // The other medium is done, and the waiting one gets its place.
    simulation.update { $0.releaseOne(turn, at: at(0.2)) }
    #expect(simulation.decisions[waiting] == .granted)
    simulation.update { $0.releasePlaces(of: turn, at: at(0.3)) }
    simulation.update { $0.releasePlaces(of: other, at: at(0.3)) }
    #expect(simulation.scheduler.free == 2)
  }

  @Test("a refused medium takes no place again, and the next medium of its payload does") func refused()
    throws
  {
    var simulation = Simulation(places: 1)
    let holders = try (0..<2).map { try simulation.send("a", $0) }
    let turn = try simulation.turnWithPlace()
    let withdrawn = try simulation.ask("a", 3, turn: turn)
    simulation.scheduler.withdraw(withdrawn)
    #expect(simulation.scheduler.free == 1)
    for holder in holders { simulation.answer(holder, at: at(0.1)) }
    let next = try simulation.ask("a", 4, turn: turn, at: at(0.2))
    #expect(simulation.decisions[next] == .granted)
    #expect(simulation.scheduler.free == 0)
    simulation.update { $0.releasePlaces(of: turn, at: at(0.3)) }
    #expect(simulation.scheduler.free == 1)
  }
}

extension Admission {
  fileprivate var free: Int { shared.withLock { $0.scheduler.free } }

  fileprivate func place() async -> PlaceReservation { await take(.here)[0] }
}

private final class Shared<Value: Sendable>: Sendable {
  let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }
}
