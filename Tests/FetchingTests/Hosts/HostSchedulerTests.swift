import Testing
@testable import Fetching
import Supporting

/// Who gets a transfer when there are too few.
@Suite("Host scheduler")
struct HostSchedulerTests {
  @Test("a host gets a few transfers until it has delivered, then all of them")
  func unproven() throws {
    var simulation = Simulation()
    let first = try simulation.send("a")
    let second = try simulation.send("a")
    let others = try (0..<5).map { _ in try simulation.ask("a") }
    #expect(!simulation.isWaiting(second))
    #expect(others.allSatisfy { simulation.isWaiting($0) })
    simulation.answer(first, at: at(0.1))
    #expect(others.allSatisfy { simulation.decisions[$0] == .granted })
    for _ in 0..<100 { #expect(try simulation.decision(on: "a", at: at(0.2)) == .granted) }
    #expect(simulation.scheduler.waiting.bytes == 0)
  }

  @Test("all unproven hosts together get half of the transfers") func strangers() throws {
    var simulation = Simulation()
    try simulation.prove("proven")
    let first = try (0..<8).map { try simulation.send("\($0)") }
    let rest = try (8..<12).map { try simulation.ask("\($0)") }
    #expect(first.allSatisfy { !simulation.isWaiting($0) })
    #expect(rest.allSatisfy { simulation.isWaiting($0) })
    #expect(try simulation.decision(on: "proven") == .granted)
    simulation.release(first[0], at: at(1))
    #expect(rest.map { simulation.isWaiting($0) } == [false, true, true, true])
    // One that answers counts no more.
    simulation.answer(first[1], at: at(1))
    #expect(rest.map { simulation.isWaiting($0) } == [false, false, true, true])
    simulation.scheduler.withdraw(rest[2])
    simulation.release(first[2], at: at(1))
    #expect(rest.map { simulation.isWaiting($0) } == [false, false, true, false])
    #expect(simulation.scheduler.waiting.bytes == 0)
  }

  @Test("an outage refuses what waits for its host at once, and nothing else") func outage() throws {
    var simulation = Simulation()
    let under = try [simulation.send("dead"), simulation.send("dead")]
    let waiting = try (0..<3).map { _ in try simulation.ask("dead") }
    let other = try simulation.ask("alive")
    simulation.tick(to: 4.75)
    #expect(simulation.isWaiting(waiting[0]))
    simulation.tick(from: 5, to: 5)
    let refusal = HostRefusal.outage(for: .seconds(5), pause: .seconds(1))
    #expect(waiting.allSatisfy { simulation.decisions[$0] == .refused(refusal) })
    #expect(simulation.decisions[other] == .granted)
    #expect(simulation.scheduler.unhealthy.map(\.origin) == ["https://dead.example:443"])
    // Those under way go on. One that has an answer after all ends it.
    #expect(simulation.revoked.isEmpty)
    simulation.answer(under[1], at: at(5.5))
    #expect(simulation.scheduler.unhealthy.isEmpty)
    #expect(try simulation.decision(on: "dead", at: at(5.5)) == .granted)
  }

  @Test("one payload is the probe that ends an outage") func probe() throws {
    var simulation = Simulation()
    _ = try simulation.send("dead")
    simulation.tick(to: 5)
    #expect(
      try simulation.decision(on: "dead", at: at(5.75))
        == .refused(.outage(for: .seconds(5.75), pause: .seconds(0.25))))
    let probe = try simulation.send("dead", at: at(6))
    #expect(simulation.decisions[probe] == .granted)
    #expect(
      try simulation.decision(on: "dead", at: at(6))
        == .refused(.outage(for: .seconds(6), pause: .zero)))
    simulation.tick(from: 5.25, to: 10.75)
    #expect(
      try simulation.decision(on: "dead", at: at(10.75))
        == .refused(.outage(for: .seconds(10.75), pause: .zero)))
    simulation.tick(from: 11, to: 11)
    #expect(
      try simulation.decision(on: "dead", at: at(11))
        == .refused(.outage(for: .seconds(11), pause: .seconds(2))))
    let second = try simulation.send("dead", at: at(13))
    simulation.answer(second, at: at(13.1))
    for _ in 0..<16 { #expect(try simulation.decision(on: "dead", at: at(13.2)) == .granted) }
  }

  @Test("a probe that ends without a result is followed by another") func lostProbe() throws {
    var simulation = Simulation()
    _ = try simulation.send("dead")
    simulation.tick(to: 5)
    let probe = try simulation.ask("dead", at: at(6))
    simulation.release(probe, at: at(6))
    #expect(try simulation.decision(on: "dead", at: at(6)) == .granted)
  }

  @Test("a redirected probe that ends or is revoked is followed by another")
  func lostProbeOfRedirect() throws {
    for isRevoked in [false, true] {
      var simulation = Simulation()
      let first = try simulation.send("dead")
      simulation.tick(to: 5)
      simulation.end(first, at: at(5))
      simulation.release(first, at: at(5))
      try simulation.prove("alive", at: at(5))
      let redirected = try simulation.ask("alive", at: at(6))
      #expect(try simulation.begin(redirected, "dead", at: at(6)) == nil)
      if isRevoked {
        // Others wait for unproven hosts, and the silence threshold is over.
        for number in 0..<9 { _ = try simulation.send("new\(number)", at: at(6)) }
        simulation.tick(from: 6, to: 8.5)
        #expect(simulation.revoked[redirected] != nil)
      } else {
        simulation.end(redirected, at: at(7))
      }
      simulation.release(redirected, at: at(9))
      #expect(try simulation.scheduler.hosts[.host("dead")]?.state(at: at(9)) == .halfOpen)
    }
  }

  @Test("refused connections are an outage") func failures() throws {
    var simulation = Simulation()
    for number in 0..<9 {
      let permit = try simulation.send("dead", at: at(Double(number)))
      simulation.fail(permit, at: at(Double(number)))
      simulation.release(permit, at: at(Double(number)))
    }
    #expect(
      try simulation.decision(on: "dead", at: at(8.5))
        == .refused(.outage(for: .seconds(0.5), pause: .seconds(0.5))))
  }

  @Test("a host that accepts a connection and closes it ends an outage of refused connections, unproven")
  func hangingUp() throws {
    var simulation = Simulation()
    func refuse(_ count: Int, at now: MonotonicTime) throws {
      for _ in 0..<count {
        let permit = try simulation.send("a", at: now)
        simulation.fail(permit, at: now)
        simulation.release(permit, at: now)
      }
    }
    try refuse(9, at: at(0))
    let probe = try simulation.send("a", at: at(1))
    let beside = try simulation.decision(on: "a", at: at(1))
    #expect(beside == .refused(.outage(for: .seconds(1), pause: .zero)))
    simulation.hangUp(probe, at: at(1))
    #expect(simulation.scheduler.unhealthy.isEmpty)
    simulation.release(probe, at: at(1))
    try refuse(4, at: at(1))
    #expect(simulation.scheduler.unhealthy.isEmpty)
    try refuse(1, at: at(1))
    #expect(simulation.scheduler.unhealthy.count == 1)
  }

  @Test("a host that accepts a connection and closes it does not end an outage of silence")
  func hangingUpBesideSilence() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    for url in 1...3 { _ = try simulation.send("a", url) }
    simulation.tick(to: 5)
    let probe = try simulation.send("a", 4, at: at(6))
    simulation.hangUp(probe, at: at(6))
    simulation.release(probe, at: at(6))
    #expect(simulation.scheduler.unhealthy.count == 1)
    #expect(try simulation.decision(on: "a", 5, at: at(6)) == .granted)
  }

  @Test("a URL that hangs is out alone, and other URLs get transfers beside it") func hangingURL() throws {
    var simulation = Simulation()
    let hanging = try (0..<2).map { _ in try simulation.send("a", 1) }
    let more = try simulation.ask("a", 1)
    let other = try simulation.ask("a", 2)
    #expect(hanging.allSatisfy { simulation.decisions[$0] == .granted })
    simulation.tick(to: 5)
    #expect(simulation.decisions[more] == .refused(.outage(for: .seconds(5), pause: .seconds(1))))
    #expect(simulation.decisions[other] == .granted)
    _ = try simulation.begin(other, "a", 2, at: at(5))
    simulation.answer(other, at: at(5.5))
    #expect(simulation.scheduler.unhealthy.isEmpty)
    #expect(try simulation.decision(on: "a", 1, at: at(5.5)) == .granted)
  }

  @Test("three URLs that hang put all of their host out, and are probes after other URLs")
  func hangingURLs() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    for url in 1...3 { _ = try simulation.send("a", url) }
    simulation.tick(to: 5)
    #expect(
      try simulation.decision(on: "a", 4, at: at(5.5))
        == .refused(.outage(for: .seconds(5.5), pause: .seconds(0.5))))
    #expect(
      try simulation.decision(on: "a", 3, at: at(6))
        == .refused(.outage(for: .seconds(6), pause: .seconds(1))))
    let probe = try simulation.send("a", 4, at: at(6))
    #expect(simulation.decisions[probe] == .granted)
    simulation.answer(probe, at: at(6.5))
    #expect(simulation.scheduler.unhealthy.isEmpty)
  }

  @Test("a URL that was silent is the probe if no other is") func hangingProbe() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    for url in 1...3 { _ = try simulation.send("a", url) }
    simulation.tick(to: 5)
    #expect(try simulation.decision(on: "a", 3, at: at(7)) == .granted)
    #expect(
      try simulation.decision(on: "a", 4, at: at(7)) == .refused(.outage(for: .seconds(7), pause: .zero)))
  }

  @Test("permits of unproven hosts are counted, whatever becomes of the hosts") func count() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    let permits = try (0..<5).map { _ in try simulation.send("a") }
    #expect(simulation.scheduler.unprovenPermits == 0)
    simulation.fail(permits[0], at: at(1))
    #expect(simulation.scheduler.unprovenPermits == 5)
    simulation.release(permits[0], at: at(1))
    #expect(simulation.scheduler.unprovenPermits == 4)
    simulation.answer(permits[1], at: at(2))
    #expect(simulation.scheduler.unprovenPermits == 0)
    simulation.fail(permits[2], at: at(3))
    #expect(simulation.scheduler.unprovenPermits == 4)
    for permit in permits.dropFirst() { simulation.release(permit, at: at(4)) }
    #expect(simulation.scheduler.unprovenPermits == 0)
  }

  @Test("the least recently used host is forgotten, one in use never is") func bound() throws {
    var limits = HostLimits.small
    limits.maximumHosts = 4
    var simulation = Simulation(limits)
    let busy = try simulation.send("busy")
    for host in ["a", "b", "c"] { try simulation.prove(host) }
    try simulation.prove("a")
    try simulation.prove("d")
    #expect(Set(simulation.scheduler.hosts.keys) == Set(try ["busy", "a", "c", "d"].map { try .host($0) }))
    simulation.release(busy, at: at(1))
    for number in 0..<1_000 { try simulation.prove("\(number)") }
    #expect(simulation.scheduler.hosts.count == 4)
    // Nobody is forgotten who is asked right now, however many those are.
    for number in 0..<8 { _ = try simulation.ask("of-many-\(number)") }
    for number in 0..<8 { #expect(simulation.scheduler.hosts[try .host("of-many-\(number)")]?.permits == 1) }
  }
}
