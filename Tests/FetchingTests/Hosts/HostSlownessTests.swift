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

  @Test("transfers that drip are revoked like silent ones, as far as others need their slots")
  func dripping() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    let permits = try (0..<16).map { try simulation.send("a", $0, at: at(Double($0) / 64)) }
    for permit in permits { simulation.headArrived(permit, at: at(1 + Double(permit) / 64)) }
    simulation.tick(to: 6)
    #expect(simulation.revoked.isEmpty)
    // The first two may stay, and a quarter of the slots are to be free.
    simulation.tick(from: 6.25, to: 6.5)
    #expect(Set(simulation.revoked.keys) == Set(permits[2..<6]))
    #expect(simulation.scheduler.unhealthy.map(\.origin) == ["https://a.example:443"])
    for permit in permits[2..<6] { simulation.release(permit, at: at(6.5)) }
    for number in 0..<5 { _ = try simulation.ask("\(number)", at: at(6.5)) }
    simulation.tick(from: 6.75, to: 6.75)
    #expect(simulation.revoked.count >= 4 + 5)
  }

  @Test(
    "a body is as good as silent once it is five seconds behind 16 KB a second",
    arguments: [(1.0, nil), (0.75, 20), (0.5, 10), (0, 5)] as [(Double, Double?)])
  func speed(speed: Double, end: Double?) throws {
    var simulation = Simulation()
    try simulation.prove("a")
    let permits = try (0..<3).map { _ in try simulation.send("a") }
    for permit in permits { simulation.headArrived(permit, at: at(0)) }
    var firstTimeout: Double?
    for quarter in 1...120 {
      let now = Double(quarter) / 4
      for permit in permits where speed > 0 {
        simulation.received(permit, Int(speed * 4_096), at: at(now))
      }
      simulation.tick(from: now, to: now)
      if firstTimeout == nil, try simulation.scheduler.hasTimedOut("a") { firstTimeout = now }
    }
    #expect(firstTimeout == end)
    #expect(simulation.revoked.isEmpty)
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

  @Test(
    "a host that delivers beside many slow transfers gets twice the few, and all of them ten seconds later")
  func lag() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    let slow = try (0..<3).map { try simulation.send("a", $0) }
    for permit in slow { simulation.headArrived(permit, at: at(0)) }
    try simulation.prove("a", at: at(4.9))
    simulation.tick(to: 5)
    #expect(simulation.scheduler.unhealthy.isEmpty)
    let beside = try (0..<3).map { _ in try simulation.ask("a", 3, at: at(5)) }
    #expect(beside.map { simulation.isWaiting($0) } == [false, true, true])
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

  @Test("what waits for a host with many slow transfers is refused, though it delivers now and then")
  func trickle() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    for url in 0..<4 { simulation.headArrived(try simulation.send("a", url), at: at(0)) }
    try simulation.prove("a", at: at(4.9))
    simulation.tick(to: 5)
    let queued = try (0..<10).map { _ in try simulation.ask("a", 9, at: at(5)) }
    #expect(queued.allSatisfy { simulation.isWaiting($0) })
    #expect(!simulation.scheduler.isOpen(at: at(5.5)))
    simulation.received(1 + 1, 4_096, at: at(5.9))
    #expect(simulation.scheduler.isOpen(at: at(6)))
    let late = try simulation.ask("a", 9, at: at(6))
    #expect(simulation.decisions[late] == .refused(.crowded))
  }

  @Test("unproven hosts that deliver keep those waiting that wait for one") func delivering() throws {
    var simulation = Simulation()
    let busy = try (0..<8).map { try simulation.send("\($0)") }
    _ = try (8..<18).map { try simulation.ask("\($0)") }
    #expect(simulation.scheduler.isOpen(at: at(2)))
    simulation.headArrived(busy[0], at: at(2))
    #expect(!simulation.scheduler.isOpen(at: at(3.9)))
    simulation.fail(busy[1], at: at(4))
    simulation.received(busy[0], 4_096, at: at(4))
    #expect(!simulation.scheduler.isOpen(at: at(4.9)) || simulation.scheduler.waiting.bytes < 1_000)
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
