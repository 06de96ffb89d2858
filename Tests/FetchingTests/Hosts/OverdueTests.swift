import Supporting
import TestSupport
import Testing

@testable import Fetching

@Suite("Downloads that do not come in time")
struct OverdueTests {
  @Test("requests without an answer for five seconds make room for as many as wait") func silent()
    throws
  {
    var simulation = Simulation()
    let silent = try (0..<8).map { try simulation.send("silent-\($0)") }
    let waiting = try (0..<3).map { try simulation.ask("new-\($0)", mayGoBack: false) }
    simulation.tick(to: 4.75)
    #expect(simulation.revoked.isEmpty)
    simulation.tick(from: 5, to: 5.25)
    #expect(Set(simulation.revoked.keys) == Set(silent.prefix(3)))
    #expect(simulation.revoked[silent[0]] == .overdue(after: .seconds(5)))
    #expect(waiting.allSatisfy { simulation.decisions[$0] == .granted })
  }

  @Test("requests without an answer keep their places while nobody else needs them") func unneeded() throws {
    var simulation = Simulation()
    for number in 0..<8 { try simulation.send("silent-\(number)") }
    simulation.tick(to: 29)
    #expect(simulation.revoked.isEmpty)
  }

  @Test("the only download that there may be keeps its place while nobody else needs it")
  func single() throws {
    var limits = HostLimits()
    limits.transfers = 1
    var simulation = Simulation(limits)
    try simulation.send("silent")
    simulation.tick(to: 29)
    #expect(simulation.revoked.isEmpty)
  }

  @Test("a host does not make room for its own requests") func own() throws {
    var simulation = Simulation()
    for _ in 0..<2 { try simulation.send("new") }
    _ = try simulation.ask("new", mayGoBack: false)
    simulation.tick(to: 20)
    #expect(simulation.revoked.isEmpty)
  }

  @Test("a request that a known host does not answer goes back to its queue when it makes room") func known()
    throws
  {
    var limits = HostLimits.small
    limits.quickMemory = .zero
    var known = Simulation(limits)
    for number in 0..<8 { try known.prove("known-\(number)", times: 2, after: 1) }
    for number in 0..<16 { try known.send("known-\(number % 8)", number, at: at(1)) }
    known.tick(from: 1, to: 6)
    #expect(known.revoked.count == 4)
    #expect(known.revoked.values.allSatisfy { $0 == .busy })
  }

  @Test("a host that turns out to be slow gives back its excess places while other hosts are quick")
  func late()
    throws
  {
    var simulation = Simulation()
    try simulation.prove("quick")
    try simulation.prove("primed", times: 20)
    let permits = try (0..<16).map { _ in try simulation.send("primed", at: at(0)) }
    simulation.tick(to: 0.75)
    #expect(simulation.revoked.isEmpty)
    simulation.tick(from: 1, to: 1)
    #expect(Set(simulation.revoked.keys) == Set(permits.suffix(4)))
    #expect(simulation.revoked.values.allSatisfy { $0 == .busy })
  }

  @Test("a few long downloads of a quick host are left alone") func long() throws {
    var simulation = Simulation()
    try simulation.prove("media", times: 20)
    for _ in 0..<12 { try simulation.send("media", at: at(0)) }
    for second in 0..<4 {
      let short = try simulation.send("media", at: at(Double(second)))
      simulation.tick(from: Double(second), to: Double(second) + 0.75)
      simulation.answer(short, at: at(Double(second) + 0.8))
    }
    #expect(simulation.revoked.isEmpty)
  }

  @Test("a quarter of all places stays free of downloads that hang") func quarter() throws {
    var simulation = Simulation()
    try simulation.prove("media", times: 20)
    for _ in 0..<16 { try simulation.send("media") }
    simulation.tick(to: 5)
    #expect(simulation.revoked.count == 4)
  }

  @Test("a host may take twice its usual time to answer") func patience() throws {
    var simulation = Simulation()
    try simulation.prove("slow", times: 20, after: 4)
    for _ in 0..<16 { try simulation.send("slow", at: at(4)) }
    simulation.tick(from: 4, to: 11.75)
    #expect(simulation.revoked.isEmpty)
    simulation.tick(from: 12, to: 12)
    #expect(simulation.revoked.count == 4)
  }

  /// Kilobytes per second, the announced kilobytes, and whether others get the place.
  @Test(
    "a body is judged by its actual speed",
    arguments: [
      (18, 9_000_000, true), (290, 9_000_000, true), (400, 9_000_000, false), (1, 20_000, false),
      (18, nil, false), (15, nil, true),
    ] as [(Int, Int?, Bool)])
  func speed(kilobytes: Int, length: Int?, isOverdue: Bool) throws {
    var simulation = Simulation()
    let slow = try simulation.send("slow")
    simulation.headArrived(slow, announcing: length, at: at(0))
    for number in 0..<7 { try simulation.send("silent-\(number)", at: at(3)) }
    _ = try simulation.ask("new", mayGoBack: false, at: at(3))
    simulation.tick(to: 7.75) { [(slow, Int($0 * Double(kilobytes) * 1_000))] }
    #expect((simulation.revoked[slow] != nil) == isOverdue)
  }

  @Test("a head without a body is treated like no answer") func head() throws {
    var simulation = Simulation()
    let slow = try simulation.send("slow")
    simulation.headArrived(slow, announcing: 20_000, at: at(0.1))
    for number in 0..<7 { try simulation.send("silent-\(number)", at: at(3)) }
    _ = try simulation.ask("new", mayGoBack: false, at: at(0))
    simulation.tick(to: 4.75) { _ in [(slow, 0)] }
    #expect(simulation.revoked.isEmpty)
    simulation.tick(from: 5, to: 5.5) { _ in [(slow, 0)] }
    #expect(simulation.revoked[slow] != nil)
  }

  @Test("a fast start does not excuse a stall") func stall() throws {
    var simulation = Simulation()
    let stalled = try simulation.send("stalled")
    simulation.headArrived(stalled, announcing: 9_000_000, at: at(0))
    for number in 0..<7 { try simulation.send("silent-\(number)", at: at(6)) }
    _ = try simulation.ask("new", mayGoBack: false, at: at(6))
    simulation.tick(to: 10) { [(stalled, min(Int($0 * 4_000_000), 8_000_000))] }
    #expect(simulation.revoked[stalled] != nil)
  }

  @Test("time in which the process was stopped, or transfers waited for us, does not count") func gaps()
    throws
  {
    var stopped = Simulation()
    for number in 0..<8 { try stopped.send("silent-\(number)") }
    _ = try stopped.ask("new", mayGoBack: false)
    stopped.tick(to: 4)
    stopped.tick(from: 60, to: 60.75)
    #expect(stopped.revoked.isEmpty)
    stopped.tick(from: 61, to: 61)
    #expect(stopped.revoked.count == 1)
    var held = Simulation()
    let permits = try (0..<8).map { try held.send("silent-\($0)") }
    _ = try held.ask("new", mayGoBack: false)
    held.tick(to: 20, held: permits)
    #expect(held.revoked.isEmpty)
    held.tick(from: 20, to: 25.25)
    #expect(held.revoked.count == 1)
  }
}
