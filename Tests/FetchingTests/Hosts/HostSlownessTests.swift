import Testing

@testable import Fetching

/// What comes of hosts that answer at once, and then send next to nothing.
@Suite("Turns among slow hosts")
struct HostSlownessTests {
  @Test("a head alone proves nothing, the beginning of a body does") func proof() throws {
    var visitors = Visitors()
    let first = try visitors.visit("a")
    _ = try visitors.visit("a")
    let others = try (0..<5).map { _ in try visitors.ask("a") }
    visitors.begin(answering: first, at: at(0.1))
    #expect(others.allSatisfy { visitors.isWaiting($0) })
    visitors.receive(first, 16_384, at: at(0.2))
    #expect(others.allSatisfy { visitors.answers[$0] == .granted })
  }

  @Test("bodies that drip are given up like silence, but for a few") func dripping() throws {
    var visitors = Visitors()
    try visitors.prove("a")
    let turns = try (0..<16).map { try visitors.visit("a", $0, at: at(Double($0) / 64)) }
    for turn in turns { visitors.begin(answering: turn, at: at(1 + Double(turn) / 64)) }
    visitors.look(to: 6)
    #expect(visitors.givenUp.isEmpty)
    visitors.look(from: 6.25, to: 6.5)
    #expect(Set(visitors.givenUp.keys) == Set(turns.dropFirst(2)))
    #expect(visitors.book.unhealthy.map(\.origin) == ["https://a.example:443"])
    for turn in turns.dropFirst(2) { visitors.leave(turn, at: at(6.5)) }
    #expect(try visitors.answerNow("b", at: at(6.5)) == .granted)
  }

  @Test(
    "a body is as good as silent once it is five seconds behind 16 KB a second",
    arguments: [(1.0, nil), (0.75, 20), (0.5, 10), (0, 5)] as [(Double, Double?)])
  func speed(speed: Double, end: Double?) throws {
    var visitors = Visitors()
    let turn = try visitors.visit("a")
    visitors.begin(answering: turn, at: at(0))
    var firstLag: Double?
    for quarter in 1...120 {
      let now = Double(quarter) / 4
      if speed > 0 { visitors.receive(turn, Int(speed * 4_096), at: at(now)) }
      visitors.look(from: now, to: now)
      if firstLag == nil, try visitors.book.isLagging("a") { firstLag = now }
    }
    #expect(firstLag == end)
  }

  @Test("what came fast before is no credit") func credit() throws {
    var visitors = Visitors()
    let turn = try visitors.visit("a")
    visitors.receive(turn, 10_000_000, at: at(1))
    visitors.look(from: 1, to: 5.75)
    #expect(visitors.book.unhealthy.isEmpty)
    visitors.look(from: 6, to: 6)
    #expect(visitors.book.unhealthy.count == 1)
  }

  @Test("a host that delivers beside slow ones has a few transfers more, and all of them ten seconds later")
  func lag() throws {
    var visitors = Visitors()
    let slow = try (0..<2).map { try visitors.visit("a", $0) }
    for turn in slow { visitors.begin(answering: turn, at: at(0)) }
    visitors.look(to: 5)
    // The URLs that are slow are out alone, and the first delivery of another ends that.
    let fast = try visitors.visit("a", 2, at: at(5))
    visitors.answer(fast, at: at(5.5))
    visitors.leave(fast, at: at(5.5))
    #expect(visitors.book.unhealthy.isEmpty)
    let beside = try (0..<4).map { _ in try visitors.ask("a", 3, at: at(5.5)) }
    #expect(beside.map { visitors.isWaiting($0) } == [false, false, true, true])
    for turn in slow {
      visitors.end(turn, at: at(6))
      visitors.leave(turn, at: at(6))
    }
    #expect(beside.allSatisfy { visitors.answers[$0] == .granted })
    _ = try visitors.begin(beside[0], "a", 3, at: at(14.75))
    visitors.answer(beside[0], at: at(14.75))
    #expect(try visitors.book.hosts[.host("a")]?.isProven == false)
    _ = try visitors.begin(beside[1], "a", 3, at: at(15))
    visitors.answer(beside[1], at: at(15))
    #expect(try visitors.book.hosts[.host("a")]?.isProven == true)
  }

  @Test("an outage ends with a delivery, not with a head") func probe() throws {
    var visitors = Visitors()
    let turn = try visitors.visit("a")
    visitors.look(to: 5)
    visitors.end(turn, at: at(5))
    visitors.leave(turn, at: at(5))
    let probe = try visitors.visit("a", at: at(6))
    visitors.begin(answering: probe, at: at(6))
    #expect(try visitors.answerNow("a", at: at(6)) == .refused(.outage(for: .seconds(6), pause: .zero)))
    visitors.look(from: 5.25, to: 11)
    #expect(
      try visitors.answerNow("a", at: at(11)) == .refused(.outage(for: .seconds(11), pause: .seconds(2))))
    visitors.receive(probe, 16_384, at: at(11))
    #expect(visitors.book.unhealthy.isEmpty)
  }
}

extension HostBook {
  fileprivate func isLagging(_ host: String) throws -> Bool { try hosts[.host(host)]?.lastLag != nil }
}
