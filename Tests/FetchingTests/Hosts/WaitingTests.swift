import TestSupport
import Testing

@testable import Fetching

@Suite("Requests that cannot start")
struct WaitingTests {
  @Test("a request that waits too long goes back to its queue, unless the queue takes nothing back")
  func patience()
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

  @Test("if the room is full, requests for the host that most wait for go back, the last one first")
  func full()
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

  @Test("a request that cannot go back waits even if the room is full") func fixed() throws {
    var simulation = Simulation()
    for _ in 0..<2 { try simulation.send("slow") }
    let waiting = try (0..<20).map { _ in try simulation.ask("slow", mayGoBack: false) }
    #expect(waiting.allSatisfy { simulation.isWaiting($0) })
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: false, at: at(0)) == 0)
  }

  @Test("a payload goes back as a whole, even if some of its media have started") func turns() throws {
    var simulation = Simulation()
    for _ in 0..<2 { try simulation.send("slow") }
    let turn = PayloadTurn(mayGoBack: true)
    let first = try simulation.ask("media", turn: turn)
    let rest = try (0..<2).map { _ in try simulation.ask("slow", turn: turn) }
    #expect(simulation.decisions[first] == .granted)
    simulation.tick(to: 2)
    #expect(rest.allSatisfy { simulation.decisions[$0] == .refused(.busy) })
    let late = try simulation.ask("media", turn: turn)
    #expect(simulation.decisions[late] == .refused(.busy))
  }

  @Test("more media of a payload that waits take little room") func several() throws {
    var limits = HostLimits.small
    limits.waitingBytes = 20_000
    var simulation = Simulation(limits)
    for _ in 0..<2 { try simulation.send("slow") }
    let turn = PayloadTurn(mayGoBack: true)
    let media = try (0..<10).map { _ in try simulation.ask("slow", bytes: 10_000, turn: turn) }
    #expect(media.allSatisfy { simulation.isWaiting($0) })
    #expect(simulation.scheduler.room.bytes == 19_000)
    for permit in media { simulation.scheduler.withdraw(permit) }
    #expect(simulation.scheduler.room.bytes == 0)
  }

  @Test("more payloads are taken at once while some can start, otherwise 64 per second") func pace() {
    var pace = TakingPace()
    func goBack(_ count: Int, at time: Double) { for _ in 0..<count { pace.noteReturn(at: at(time)) } }
    goBack(128, at: 0)
    #expect(pace.isOpen(at: at(0)))
    goBack(64, at: 0)
    #expect(!pace.isOpen(at: at(0.99)))
    #expect(pace.isOpen(at: at(1.01)))
    goBack(16, at: 1.01)
    #expect(!pace.isOpen(at: at(1.1)))
    pace.noteStart()
    #expect(pace.isOpen(at: at(1.1)))
    // An unused allowance does not grow without limit.
    goBack(129, at: 1_000)
    #expect(!pace.isOpen(at: at(1_000)))
  }

  @Test("while nothing can start, as many payloads are taken as can wait") func capacity() throws {
    var simulation = Simulation()
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: true, at: at(0)) == .max)
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: false, at: at(0)) == 10)
    for _ in 0..<2 { try simulation.send("slow") }
    for _ in 0..<200 { try simulation.ask("slow") }
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: true, at: at(0)) == 0)
    simulation.scheduler.withdraw(simulation.scheduler.room.guests[0].permit)
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: true, at: at(0)) == 1)
    #expect(simulation.scheduler.capacity(for: 100, mayReturn: true, at: at(2)) == .max)
  }
}
