import Testing

@testable import Fetching

/// What comes of hosts that do not answer while more and more is asked of them.
@Suite("Turns among silent hosts")
struct HostSilenceTests {
  @Test("a full line refuses those whose host is silent, and waits for hosts that answer") func full() throws
  {
    var visitors = Visitors()
    _ = try (0..<2).map { _ in try visitors.visit("dead") }
    let line = try (0..<10).map { _ in try visitors.ask("dead") }
    #expect(!visitors.book.isOpen(at: at(0.9)))
    // What was taken up before is not refused because of a host that may answer in a moment.
    let early = try visitors.ask("dead", at: at(0.9))
    #expect(visitors.isWaiting(early))
    #expect(visitors.book.isOpen(at: at(1)))
    let late = try visitors.ask("dead", at: at(1))
    #expect(visitors.answers[late] == .refused(.crowded))
    #expect(line.allSatisfy { visitors.isWaiting($0) })
    // Others get the place of those whose host is silent, the last one first.
    try visitors.prove("busy", at: at(1))
    let other = try visitors.visit("new", at: at(1))
    _ = try visitors.visit("new", at: at(1))
    let third = try visitors.ask("new", at: at(1.5))
    #expect(!visitors.isWaiting(other))
    #expect(visitors.isWaiting(third))
    #expect(visitors.answers[early] == .refused(.crowded))
    #expect(line.map { visitors.isWaiting($0) } == [Bool](repeating: true, count: 9) + [false])
    #expect(visitors.book.waitingBytes == 1_000)
  }

  @Test("a full line of new hosts that do not answer refuses further ones") func unproven() throws {
    var visitors = Visitors()
    _ = try (0..<8).map { try visitors.visit("\($0)") }
    _ = try (8..<18).map { try visitors.ask("\($0)") }
    #expect(!visitors.book.isOpen(at: at(0.9)))
    #expect(visitors.book.isOpen(at: at(1)))
    let late = try visitors.ask("19", at: at(1))
    #expect(visitors.answers[late] == .refused(.unproven))
  }

  @Test("a host that stops answering is left a few of its transfers, those that have waited longest")
  func stopping() throws {
    var visitors = Visitors()
    try visitors.prove("a")
    let turns = try (0..<16).map { try visitors.visit("a", at: at(1 + Double($0) / 64)) }
    visitors.look(from: 1, to: 6)
    #expect(visitors.givenUp.isEmpty)
    visitors.look(from: 6.25, to: 6.25)
    #expect(Set(visitors.givenUp.keys) == Set(turns.dropFirst(2)))
    #expect(visitors.givenUp[turns[15]] == .givenUp(after: .seconds(5.015625)))
    #expect(visitors.book.unhealthy.count == 1)
  }

  @Test("one that answers some of the time is not left more than a few that it does not answer")
  func partial() throws {
    var visitors = Visitors()
    try visitors.prove("a")
    let forgotten = try (0..<5).map { _ in try visitors.visit("a") }
    for quarter in 0...22 {
      let now = Double(quarter) / 4
      let turn = try visitors.visit("a", at: at(now))
      visitors.answer(turn, at: at(now))
      visitors.leave(turn, at: at(now))
      visitors.look(from: now, to: now)
    }
    #expect(Set(visitors.givenUp.keys) == Set(forgotten.dropFirst(2)))
    #expect(visitors.book.unhealthy.isEmpty)
  }

  @Test("new hosts that do not answer leave their transfers to those who wait for one") func relay() throws {
    var visitors = Visitors()
    let first = try (0..<8).map { try visitors.visit("\($0)") }
    let next = try (8..<11).map { try visitors.ask("\($0)") }
    visitors.look(to: 1.75)
    #expect(visitors.givenUp.isEmpty)
    visitors.look(from: 2, to: 2)
    #expect(Set(visitors.givenUp.keys) == Set(first.prefix(3)))
    for turn in first.prefix(3) { visitors.leave(turn, at: at(2)) }
    #expect(next.allSatisfy { visitors.answers[$0] == .granted })
  }

  @Test("time in which nobody listened does not count") func gap() throws {
    var visitors = Visitors()
    _ = try visitors.visit("a")
    visitors.look(to: 4)
    visitors.look(from: 44, to: 44.75)
    #expect(visitors.book.unhealthy.isEmpty)
    visitors.look(from: 45, to: 45)
    #expect(visitors.book.unhealthy.count == 1)
    // Nor does that in which there was nothing to listen to.
    var idle = Visitors()
    try idle.prove("a")
    idle.look(to: 1)
    _ = try idle.visit("a", at: at(100))
    idle.look(from: 100, to: 104.75)
    #expect(idle.book.unhealthy.isEmpty)
    idle.look(from: 105, to: 105)
    #expect(idle.book.unhealthy.count == 1)
  }

  @Test("a redirect is followed to hosts that answer, or may, and counts as theirs") func redirects() throws {
    var visitors = Visitors()
    try visitors.prove("link")
    let turns = try (0..<4).map { _ in try visitors.ask("link") }
    #expect(try visitors.begin(turns[0], "dead") == nil)
    #expect(try visitors.begin(turns[1], "dead") == nil)
    // It may be about to answer.
    #expect(try visitors.begin(turns[2], "dead", at: at(0.9)) == nil)
    #expect(try visitors.begin(turns[3], "dead", at: at(1)) == .crowded)
    #expect(try visitors.begin(turns[3], "link", at: at(1)) == nil)
    visitors.look(to: 5)
    #expect(visitors.book.unhealthy.map(\.origin) == ["https://dead.example:443"])
    #expect(
      try visitors.begin(visitors.ask("link", at: at(5)), "dead", at: at(5))
        == .outage(for: .seconds(5), pause: .seconds(1)))
    let probe = try visitors.ask("link", at: at(6))
    #expect(try visitors.begin(probe, "dead", at: at(6)) == nil)
    #expect(
      try visitors.begin(visitors.ask("link", at: at(6)), "dead", at: at(6))
        == .outage(for: .seconds(6), pause: .zero))
    visitors.answer(probe, at: at(6.5))
    #expect(try visitors.begin(visitors.ask("link", at: at(7)), "dead", at: at(7)) == nil)
  }

  @Test("redirects to ever new hosts that do not answer come to an end") func redirectsToMany() throws {
    var visitors = Visitors()
    try visitors.prove("link")
    for number in 0..<8 { #expect(try visitors.begin(visitors.ask("link"), "\(number)") == nil) }
    #expect(try visitors.begin(visitors.ask("link"), "next", at: at(1)) == .unproven)
    #expect(try visitors.begin(visitors.ask("link"), "link", at: at(1)) == nil)
  }
}
