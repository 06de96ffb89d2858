import Supporting
import TestSupport
import Testing

@testable import Fetching

@Suite("Outages of hosts")
struct OutageTests {
  /// Leaves a request for each of `urls` at `host` unanswered until its deadline.
  private static func silence(
    _ host: String, _ urls: [URLHash], in simulation: inout Simulation, at start: Double = 0
  ) throws {
    for url in urls {
      let permit = try simulation.send(host, url, at: at(start))
      simulation.end(permit, .givenUp, at: at(start + 30))
    }
  }

  @Test("three URLs without an answer close their whole host, fewer close only themselves") func urls()
    throws
  {
    var simulation = Simulation()
    try Self.silence("dead", [1, 2], in: &simulation)
    #expect(
      try simulation.decision(on: "dead", 1, at: at(30))
        == .refused(.outage(for: .seconds(30), pause: .seconds(1))))
    #expect(try simulation.decision(on: "dead", 3, at: at(30)) == .granted)
    try Self.silence("dead", [4], in: &simulation, at: 0)
    #expect(
      try simulation.decision(on: "dead", 5, at: at(30))
        == .refused(.outage(for: .seconds(30), pause: .seconds(1))))
    #expect(simulation.scheduler.unhealthy.map(\.origin) == ["https://dead.example:443"])
  }

  @Test("a host that answers other requests meanwhile stays open, however many URLs hang") func busy() throws
  {
    var simulation = Simulation()
    try Self.silence("media", [1, 2], in: &simulation)
    for url in 3...6 {
      let permit = try simulation.send("media", url, at: at(30))
      let other = try simulation.send("media", 100, at: at(59))
      simulation.answer(other, at: at(59))
      simulation.end(permit, .givenUp, at: at(60))
    }
    #expect(try simulation.decision(on: "media", 200, at: at(60)) == .granted)
  }

  @Test("one probe follows each pause, which doubles up to a minute") func probes() throws {
    var simulation = Simulation()
    try Self.silence("dead", [1, 2, 3], in: &simulation)
    var now = 30.0
    for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
      let early = try simulation.decision(on: "dead", 9, at: at(now + Double(pause) - 0.5))
      #expect(early == .refused(.outage(for: .seconds(now + Double(pause) - 0.5), pause: .milliseconds(500))))
      now += Double(pause)
      let probe = try simulation.send("dead", 9, at: at(now))
      #expect(simulation.decisions[probe] == .granted)
      #expect(
        try simulation.decision(on: "dead", 10, at: at(now))
          == .refused(.outage(for: .seconds(now), pause: .zero)))
      // The probe counts as a failure as soon as it is overdue.
      simulation.tick(from: now, to: now + 5)
      now += 5
      simulation.end(probe, .givenUp, at: at(now))
    }
  }

  @Test("a delivery ends an outage, and an abandoned probe is followed by another at once") func end() throws
  {
    var simulation = Simulation()
    try Self.silence("dead", [1, 2, 3], in: &simulation)
    let lost = try simulation.send("dead", 9, at: at(31))
    simulation.end(lost, .hungUp, at: at(31))
    let probe = try simulation.send("dead", 9, at: at(31))
    #expect(simulation.decisions[probe] == .granted)
    simulation.answer(probe, at: at(32))
    #expect(try simulation.decision(on: "dead", 1, at: at(32)) == .granted)
    #expect(simulation.scheduler.unhealthy.isEmpty)
  }

  @Test("a body that arrives in time ends an outage before it is complete, a head does not") func early()
    throws
  {
    var simulation = Simulation()
    try Self.silence("dead", [1, 2, 3], in: &simulation)
    let probe = try simulation.send("dead", 9, at: at(31))
    simulation.headArrived(probe, announcing: 9_000_000, at: at(31))
    simulation.tick(from: 31, to: 32.75) { [(probe, Int(($0 - 31) * 1_000_000))] }
    #expect(simulation.scheduler.unhealthy.count == 1)
    simulation.tick(from: 33, to: 33) { [(probe, Int(($0 - 31) * 1_000_000))] }
    #expect(simulation.scheduler.unhealthy.isEmpty)
  }

  @Test(
    "until a request has failed, payloads of a host that does not answer wait and are not refused")
  func uncertain() throws {
    var simulation = Simulation()
    try simulation.prove("media", times: 8)
    for url in 1...3 { try simulation.send("media", url, at: at(1)) }
    simulation.tick(from: 1, to: 6)
    #expect(simulation.scheduler.unhealthy.count == 1)
    let waiting = try simulation.ask("media", 9, at: at(6))
    #expect(simulation.isWaiting(waiting))
    simulation.scheduler.withdraw(waiting)
    simulation.tick(from: 6.25, to: 7.75)
    let probe = try simulation.send("media", 10, at: at(8))
    #expect(simulation.decisions[probe] == .granted)
    simulation.tick(from: 8, to: 13)
    let refusal = try simulation.decision(on: "media", 11, at: at(13))
    #expect(refusal == .refused(.outage(for: .seconds(12), pause: .seconds(2))))
  }

  @Test("nine refused connections in a row are an outage") func connections() throws {
    var simulation = Simulation()
    for number in 0..<9 {
      #expect(try simulation.decision(on: "closed", 99, at: at(0)) == .granted, "after \(number)")
      let permit = try simulation.send("closed", at: at(0))
      simulation.end(permit, .noConnection, at: at(0))
      for permit in simulation.scheduler.permits.keys { simulation.release(permit, at: at(0)) }
    }
    #expect(try simulation.decision(on: "closed", 99) == .refused(.outage(for: .zero, pause: .seconds(1))))
  }

  @Test("pauses are jittered by a quarter at most") func jitter() throws {
    var limits = HostLimits.small
    limits.jitter = 0.25
    for _ in 0..<100 {
      var simulation = Simulation(limits)
      try Self.silence("dead", [1, 2, 3], in: &simulation)
      #expect(try simulation.decision(on: "dead", 9, at: at(30.74)) != .granted)
      #expect(try simulation.decision(on: "dead", 9, at: at(31.26)) == .granted)
    }
  }
}
