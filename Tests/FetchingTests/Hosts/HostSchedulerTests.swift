import Supporting
import TestSupport
import Testing

@testable import Fetching

@Suite("Shares of hosts")
struct HostSchedulerTests {
  @Test("the share of a host grows with each complete download, and shrinks after a failure")
  func share() throws {
    var simulation = Simulation()
    for completed in 0..<20 {
      var permits: [HostPermit.ID] = []
      repeat {
        permits.append(try simulation.send("media"))
      } while !simulation.isWaiting(permits[permits.count - 1])
      #expect(permits.count - 1 == min(2 + completed, 16))
      simulation.answer(permits[0], at: at(0.01))
      for permit in permits.dropFirst() { simulation.end(permit, .givenUp, at: at(0.01)) }
      simulation.scheduler.withdraw(permits[permits.count - 1])
    }
    let failing = try simulation.send("media", at: at(1))
    simulation.end(failing, .noConnection, at: at(1))
    #expect(simulation.scheduler.hosts[try .host("media")]?.share == 2)
  }

  @Test("hosts that have delivered nothing share half of all downloads, and quick hosts get the rest")
  func strangers() throws {
    var simulation = Simulation()
    try simulation.prove("quick", times: 20)
    for number in 0..<8 { #expect(try simulation.decision(on: "silent-\(number)") == .granted) }
    #expect(try simulation.decision(on: "silent-8") == nil)
    for _ in 0..<16 { #expect(try simulation.decision(on: "quick") == .granted) }
  }

  @Test("slow hosts leave a quarter of all downloads to quick hosts, and use all if there are none")
  func slow() throws {
    var simulation = Simulation()
    try simulation.prove("slow", times: 20, after: 1.5)
    for _ in 0..<16 { #expect(try simulation.decision(on: "slow", at: at(2)) == .granted) }
    try simulation.prove("quick", at: 2)
    #expect(try simulation.decision(on: "slow", at: at(2)) == nil)
    var others = Simulation()
    try others.prove("slow", times: 20, after: 1.5)
    try others.prove("quick", at: 2)
    for _ in 0..<12 { #expect(try others.decision(on: "slow", at: at(3)) == .granted) }
    #expect(try others.decision(on: "slow", at: at(3)) == nil)
    #expect(try others.decision(on: "slow", at: at(13)) == .granted)
  }

  @Test(
    "a host that is slow to answer is healthy, and none of its requests is refused",
    arguments: [1.5, 3, 20, 29])
  func slowHost(latency: Double) throws {
    var simulation = Simulation()
    var (open, asked) = ([(HostPermit.ID, Double)](), [HostPermit.ID]())
    for quarter in 0..<480 {
      let time = Double(quarter) / 4
      for (permit, begun) in open where time - begun >= latency { simulation.answer(permit, at: at(time)) }
      open.removeAll { time - $0.1 >= latency }
      let permit = try simulation.ask("slow", quarter, at: at(time))
      asked.append(permit)
      for permit in asked where simulation.decisions[permit] == .granted {
        simulation.begin(permit, quarter, at: at(time))
        open.append((permit, time))
      }
      asked.removeAll { !simulation.isWaiting($0) }
      simulation.tick(at: at(time))
    }
    #expect(simulation.revoked.isEmpty)
    let refusals = simulation.decisions.values.filter { $0 != .granted && $0 != .refused(.busy) }
    #expect(refusals.isEmpty)
  }

  @Test("permits are counted, whatever happens to their hosts") func count() throws {
    var simulation = Simulation()
    try simulation.prove("media")
    let permits = try (0..<2).map { _ in try simulation.send("media") } + [try simulation.send("other")]
    #expect(simulation.scheduler.unprovenPermits == 1)
    #expect(simulation.scheduler.slowPermits == 1)
    simulation.end(permits[0], .noConnection, at: at(1))
    #expect(simulation.scheduler.unprovenPermits == 2)
    simulation.answer(permits[1], at: at(2))
    simulation.answer(permits[2], at: at(2))
    #expect(simulation.scheduler.unprovenPermits == 0)
    #expect(simulation.scheduler.slowPermits == 0)
    #expect(simulation.scheduler.permits.isEmpty)
  }

  @Test("the least recently used host is forgotten, unless it is in use") func bound() throws {
    var limits = HostLimits.small
    limits.maximumHosts = 3
    var simulation = Simulation(limits)
    let busy = try simulation.send("busy")
    for name in ["a", "b", "c"] { try simulation.prove(name) }
    #expect(Set(simulation.scheduler.hosts.keys) == [try .host("busy"), try .host("b"), try .host("c")])
    simulation.answer(busy, at: at(1))
    try simulation.prove("b", at: 1)
    try simulation.prove("d", at: 1)
    #expect(Set(simulation.scheduler.hosts.keys) == [try .host("busy"), try .host("b"), try .host("d")])
  }
}
