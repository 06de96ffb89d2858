import Testing

@testable import Fetching

/// What comes of hosts that do not answer while more and more is asked of them.
@Suite("Silent hosts")
struct HostSilenceTests {
  @Test("a full queue refuses requests to silent hosts, and waits for hosts that deliver") func full() throws
  {
    var simulation = Simulation()
    _ = try (0..<2).map { _ in try simulation.send("dead") }
    let queued = try (0..<10).map { _ in try simulation.ask("dead") }
    #expect(!simulation.scheduler.isOpen(at: at(0.9)))
    // What was taken up before is not refused because of a host that may answer in a moment.
    let early = try simulation.ask("dead", at: at(0.9))
    #expect(simulation.isWaiting(early))
    #expect(simulation.scheduler.isOpen(at: at(1)))
    let late = try simulation.ask("dead", at: at(1))
    #expect(simulation.decisions[late] == .refused(.crowded))
    #expect(queued.allSatisfy { simulation.isWaiting($0) })
    // Others get the place of those whose host is silent, the last one first.
    try simulation.prove("busy", at: at(1))
    let other = try simulation.send("new", at: at(1))
    _ = try simulation.send("new", at: at(1))
    let third = try simulation.ask("new", at: at(1.5))
    #expect(!simulation.isWaiting(other))
    #expect(simulation.isWaiting(third))
    #expect(simulation.decisions[early] == .refused(.crowded))
    #expect(queued.map { simulation.isWaiting($0) } == [Bool](repeating: true, count: 9) + [false])
    #expect(simulation.scheduler.waiting.bytes == 1_000)
  }

  @Test("a full queue for new hosts that do not answer refuses further ones") func unproven() throws {
    var simulation = Simulation()
    _ = try (0..<8).map { try simulation.send("\($0)") }
    _ = try (8..<18).map { try simulation.ask("\($0)") }
    #expect(!simulation.scheduler.isOpen(at: at(1.9)))
    #expect(simulation.scheduler.isOpen(at: at(2)))
    let late = try simulation.ask("19", at: at(2))
    #expect(simulation.decisions[late] == .refused(.unproven))
  }

  @Test("a host that stops answering keeps a few of its transfers, those that have waited longest")
  func stopping() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    let permits = try (0..<16).map { try simulation.send("a", at: at(1 + Double($0) / 64)) }
    simulation.tick(from: 1, to: 6)
    #expect(simulation.revoked.isEmpty)
    simulation.tick(from: 6.25, to: 6.25)
    #expect(Set(simulation.revoked.keys) == Set(permits.dropFirst(2)))
    #expect(simulation.revoked[permits[15]] == .revoked(after: .seconds(5.015625)))
    #expect(simulation.scheduler.unhealthy.count == 1)
  }

  @Test("a host is not silent while its transfers are held back") func held() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    let permits = try (0..<8).map { _ in try simulation.send("a", at: at(1)) }
    simulation.tick(from: 1, to: 20, held: permits)
    #expect(simulation.revoked.isEmpty)
    #expect(simulation.scheduler.unhealthy.isEmpty)
    simulation.tick(from: 20.25, to: 24.75)
    #expect(simulation.revoked.isEmpty)
    simulation.tick(from: 25, to: 25)
    #expect(Set(simulation.revoked.keys) == Set(permits.dropFirst(2)))
  }

  @Test("a probe that is held back has not failed") func heldProbe() throws {
    var simulation = Simulation()
    let first = try simulation.send("a")
    simulation.tick(from: 0, to: 6)
    simulation.end(first, at: at(6))
    simulation.release(first, at: at(6))
    #expect(simulation.scheduler.unhealthy.count == 1)
    let probe = try simulation.send("a", at: at(10))
    #expect(simulation.decisions[probe] == .granted)
    let pause = simulation.scheduler.unhealthy
    simulation.tick(from: 10, to: 20, held: [probe])
    #expect(simulation.scheduler.unhealthy == pause)
    simulation.answer(probe, at: at(20.5))
    #expect(simulation.scheduler.unhealthy.isEmpty)
  }

  @Test("a host that answers some requests keeps no more than a few of the others")
  func partial() throws {
    var simulation = Simulation()
    try simulation.prove("a")
    let forgotten = try (0..<5).map { _ in try simulation.send("a") }
    for quarter in 0...22 {
      let now = Double(quarter) / 4
      let permit = try simulation.send("a", at: at(now))
      simulation.answer(permit, at: at(now))
      simulation.release(permit, at: at(now))
      simulation.tick(from: now, to: now)
    }
    #expect(Set(simulation.revoked.keys) == Set(forgotten.dropFirst(2)))
    #expect(simulation.scheduler.unhealthy.isEmpty)
  }

  @Test("new hosts that do not answer lose their transfers to requests that wait") func relay() throws {
    var simulation = Simulation()
    let first = try (0..<8).map { try simulation.send("\($0)") }
    let next = try (8..<11).map { try simulation.ask("\($0)") }
    simulation.tick(to: 0.75)
    #expect(simulation.revoked.isEmpty)
    simulation.tick(from: 1, to: 1)
    #expect(Set(simulation.revoked.keys) == Set(first.prefix(3)))
    for permit in first.prefix(3) { simulation.release(permit, at: at(1)) }
    #expect(next.allSatisfy { simulation.decisions[$0] == .granted })
  }

  @Test("time in which the loop was stopped does not count") func gap() throws {
    var simulation = Simulation()
    _ = try simulation.send("a")
    simulation.tick(to: 4)
    simulation.tick(from: 44, to: 44.75)
    #expect(simulation.scheduler.unhealthy.isEmpty)
    simulation.tick(from: 45, to: 45)
    #expect(simulation.scheduler.unhealthy.count == 1)
    // Nor does that in which there was nothing to listen to.
    var idle = Simulation()
    try idle.prove("a")
    idle.tick(to: 1)
    _ = try idle.send("a", at: at(100))
    idle.tick(from: 100, to: 104.75)
    #expect(idle.scheduler.unhealthy.isEmpty)
    idle.tick(from: 105, to: 105)
    #expect(idle.scheduler.unhealthy.count == 1)
  }

  @Test("a redirect is followed to hosts that answer or may, and counts as theirs") func redirects() throws {
    var simulation = Simulation()
    try simulation.prove("link")
    let permits = try (0..<4).map { _ in try simulation.ask("link") }
    #expect(try simulation.begin(permits[0], "dead") == nil)
    #expect(try simulation.begin(permits[1], "dead") == nil)
    // It may be about to answer.
    #expect(try simulation.begin(permits[2], "dead", at: at(0.9)) == nil)
    #expect(try simulation.begin(permits[3], "dead", at: at(1)) == .crowded)
    #expect(try simulation.begin(permits[3], "link", at: at(1)) == nil)
    simulation.tick(to: 5)
    #expect(simulation.scheduler.unhealthy.map(\.origin) == ["https://dead.example:443"])
    #expect(
      try simulation.begin(simulation.ask("link", at: at(5)), "dead", at: at(5))
        == .outage(for: .seconds(5), pause: .seconds(1)))
    let probe = try simulation.ask("link", at: at(6))
    #expect(try simulation.begin(probe, "dead", at: at(6)) == nil)
    #expect(
      try simulation.begin(simulation.ask("link", at: at(6)), "dead", at: at(6))
        == .outage(for: .seconds(6), pause: .zero))
    simulation.answer(probe, at: at(6.5))
    #expect(try simulation.begin(simulation.ask("link", at: at(7)), "dead", at: at(7)) == nil)
  }

  @Test("redirects to ever new hosts that do not answer come to an end") func redirectsToMany() throws {
    var simulation = Simulation()
    try simulation.prove("link")
    for number in 0..<8 { #expect(try simulation.begin(simulation.ask("link"), "\(number)") == nil) }
    #expect(try simulation.begin(simulation.ask("link"), "next", at: at(1)) == .unproven)
    #expect(try simulation.begin(simulation.ask("link"), "link", at: at(1)) == nil)
  }
}
