import Testing

@testable import Fetching

/// What comes of hosts that answer at once, and then send next to nothing.
@Suite("Slow hosts")
struct HostSlownessTests {
  @Test("the head of a response proves nothing, the beginning of its body does") func proof() throws {
    var simulation = Simulation()
    let first = try simulation.send("a")
    _ = try simulation.send("a")
    let others = try (0..<5).map { _ in try simulation.ask("a") }
    simulation.headArrived(first, at: at(0.1))
    #expect(others.allSatisfy { simulation.isWaiting($0) })
    simulation.received(first, 16_384, at: at(0.2))
    #expect(others.allSatisfy { simulation.decisions[$0] == .granted })
  }

  @Test("transfers that drip are revoked like silent ones, but for a few") func dripping() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    let permits = try (0..<16).map { try simulation.send("a", $0, at: at(Double($0) / 64)) }
    for permit in permits { simulation.headArrived(permit, at: at(1 + Double(permit) / 64)) }
    simulation.tick(to: 6)
    #expect(simulation.revoked.isEmpty)
    simulation.tick(from: 6.25, to: 6.5)
    #expect(Set(simulation.revoked.keys) == Set(permits.dropFirst(2)))
    #expect(simulation.scheduler.unhealthy.map(\.origin) == ["https://a.example:443"])
    for permit in permits.dropFirst(2) { simulation.release(permit, at: at(6.5)) }
    #expect(try simulation.decision(on: "b", at: at(6.5)) == .granted)
  }

  @Test(
    "a body is as good as silent once it is five seconds behind 16 KB a second",
    arguments: [(1.0, nil), (0.75, 20), (0.5, 10), (0, 5)] as [(Double, Double?)])
  func speed(speed: Double, end: Double?) throws {
    var simulation = Simulation()
    let permit = try simulation.send("a")
    simulation.headArrived(permit, at: at(0))
    var firstTimeout: Double?
    for quarter in 1...120 {
      let now = Double(quarter) / 4
      if speed > 0 { simulation.received(permit, Int(speed * 4_096), at: at(now)) }
      simulation.tick(from: now, to: now)
      if firstTimeout == nil, try simulation.scheduler.hasTimedOut("a") { firstTimeout = now }
    }
    #expect(firstTimeout == end)
  }

  @Test("a fast beginning is no credit for a stall") func credit() throws {
    var simulation = Simulation()
    let permit = try simulation.send("a")
    simulation.received(permit, 10_000_000, at: at(1))
    simulation.tick(from: 1, to: 5.75)
    #expect(simulation.scheduler.unhealthy.isEmpty)
    simulation.tick(from: 6, to: 6)
    #expect(simulation.scheduler.unhealthy.count == 1)
  }

  @Test("a host that delivers beside slow transfers gets twice the few, and all of them ten seconds later")
  func lag() throws {
    var simulation = Simulation()
    let slow = try (0..<2).map { try simulation.send("a", $0) }
    for permit in slow { simulation.headArrived(permit, at: at(0)) }
    simulation.tick(to: 5)
    // The URLs that are slow are out alone, and the first delivery of another ends that.
    let fast = try simulation.send("a", 2, at: at(5))
    simulation.answer(fast, at: at(5.5))
    simulation.release(fast, at: at(5.5))
    #expect(simulation.scheduler.unhealthy.isEmpty)
    let beside = try (0..<4).map { _ in try simulation.ask("a", 3, at: at(5.5)) }
    #expect(beside.map { simulation.isWaiting($0) } == [false, false, true, true])
    for permit in slow {
      simulation.end(permit, at: at(6))
      simulation.release(permit, at: at(6))
    }
    #expect(beside.allSatisfy { simulation.decisions[$0] == .granted })
    _ = try simulation.begin(beside[0], "a", 3, at: at(14.75))
    simulation.answer(beside[0], at: at(14.75))
    #expect(try simulation.scheduler.hosts[.host("a")]?.isProven == false)
    _ = try simulation.begin(beside[1], "a", 3, at: at(15))
    simulation.answer(beside[1], at: at(15))
    #expect(try simulation.scheduler.hosts[.host("a")]?.isProven == true)
  }

  @Test("an outage ends with a delivery, not with a head") func probe() throws {
    var simulation = Simulation()
    let permit = try simulation.send("a")
    simulation.tick(to: 5)
    simulation.end(permit, at: at(5))
    simulation.release(permit, at: at(5))
    let probe = try simulation.send("a", at: at(6))
    simulation.headArrived(probe, at: at(6))
    #expect(try simulation.decision(on: "a", at: at(6)) == .refused(.outage(for: .seconds(6), pause: .zero)))
    simulation.tick(from: 5.25, to: 11)
    #expect(
      try simulation.decision(on: "a", at: at(11)) == .refused(.outage(for: .seconds(11), pause: .seconds(2)))
    )
    simulation.received(probe, 16_384, at: at(11))
    #expect(simulation.scheduler.unhealthy.isEmpty)
  }
}

extension HostScheduler {
  fileprivate func hasTimedOut(_ host: String) throws -> Bool { try hosts[.host(host)]?.lastTimeout != nil }
}
