import TestSupport
import Testing

@testable import Fetching

@Suite("Requests that cannot start")
struct WaitingTests {
  @Test("what waits too long goes back to its queue, unless its queue takes nothing back") func patience()
    throws
  {
    var simulation = Simulation()
    for _ in 0..<2 { try simulation.send("slow") }
    let (first, second) = (try simulation.ask("slow"), try simulation.ask("slow", mayGoBack: false))
    simulation.tick(to: 1.75)
    #expect(simulation.isWaiting(first))
    simulation.tick(from: 2, to: 29)
    #expect(simulation.decisions[first] == .refused(.busy))
    #expect(simulation.isWaiting(second))
  }

  @Test("a full room sends back what waits for the host that most wait for, the last one first") func full()
    throws
  {
    var simulation = Simulation()
    for _ in 0..<2 { try simulation.send("slow") }
    let waiting = try (0..<10).map { _ in try simulation.ask("slow") }
    #expect(waiting.allSatisfy { simulation.isWaiting($0) })
    #expect(try simulation.decision(on: "slow") == .refused(.busy))
    for number in 0..<6 { try simulation.send("silent-\(number)") }
    let stranger = try simulation.ask("stranger")
    #expect(simulation.isWaiting(stranger))
    #expect(simulation.decisions[waiting[9]] == .refused(.busy))
    #expect(waiting.dropLast().allSatisfy { simulation.isWaiting($0) })
  }

  @Test("what cannot go back waits, even if the room is full") func fixed() throws {
    var simulation = Simulation()
    for _ in 0..<2 { try simulation.send("slow") }
    let waiting = try (0..<20).map { _ in try simulation.ask("slow", mayGoBack: false) }
    #expect(waiting.allSatisfy { simulation.isWaiting($0) })
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: false, at: at(0)) == 0)
  }

  @Test("a payload goes back as a whole, until one of several media has begun") func turns() throws {
    var simulation = Simulation()
    for _ in 0..<2 { try simulation.send("slow") }
    let begun = PayloadTurn(media: 2, mayGoBack: true)
    _ = try simulation.ask("media", turn: begun)
    let rest = try simulation.ask("slow", turn: begun)
    let open = PayloadTurn(media: 2, mayGoBack: true)
    let pair = try (0..<2).map { _ in try simulation.ask("slow", turn: open) }
    simulation.tick(to: 2)
    #expect(simulation.isWaiting(rest))
    #expect(pair.allSatisfy { simulation.decisions[$0] == .refused(.busy) })
    let late = try simulation.ask("media", turn: open)
    #expect(simulation.decisions[late] == .refused(.busy))
  }

  @Test("a payload with a single medium can go back after a redirect") func redirected() throws {
    var simulation = Simulation()
    for _ in 0..<2 { try simulation.send("slow") }
    let turn = PayloadTurn(media: 1, mayGoBack: true)
    let permit = try simulation.ask("redirecting", turn: turn)
    simulation.begin(permit, at: at(0))
    simulation.answer(permit, at: at(0.1))
    let next = try simulation.ask("slow", turn: turn, at: at(0.1))
    simulation.tick(to: 2.5)
    #expect(simulation.decisions[next] == .refused(.busy))
  }

  @Test("more are taken at once while some can start, and after longer and longer pauses otherwise")
  func pace() {
    var pace = TakingPace()
    func pause(at time: Double) -> Bool { !pace.isOpen(at: at(time)) }
    pace.noteTake(at: at(0), .small)
    #expect(!pause(at: 0))
    for (start, length) in [(0.0, 0.1), (1, 0.2), (2, 0.4), (3, 0.8), (4, 1), (6, 1)] {
      pace.noteReturn()
      pace.noteTake(at: at(start), .small)
      #expect(pause(at: start + length - 0.01))
      #expect(!pause(at: start + length + 0.01))
    }
    pace.noteReturn()
    pace.noteStart()
    pace.noteTake(at: at(9), .small)
    #expect(!pause(at: 9))
  }

  @Test("while nothing can start, as many are taken as can wait") func capacity() throws {
    var simulation = Simulation()
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: true, at: at(0)) == .max)
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: false, at: at(0)) == 10)
    for _ in 0..<2 { try simulation.send("slow") }
    for _ in 0..<11 { try simulation.ask("slow") }
    simulation.scheduler.pace.noteTake(at: at(0), .small)
    simulation.scheduler.pace.noteTake(at: at(0), .small)
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: true, at: at(0)) == .max)
    try simulation.ask("slow")
    simulation.scheduler.pace.noteTake(at: at(0), .small)
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: true, at: at(0)) == 0)
    simulation.scheduler.withdraw(simulation.scheduler.room.waiters[0].permit)
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: true, at: at(0)) == 1)
  }
}
