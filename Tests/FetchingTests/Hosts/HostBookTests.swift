import Testing

@testable import Fetching

/// Who gets a transfer when there are too few.
@Suite("Turns to ask hosts")
struct HostBookTests {
  @Test("a host that has not answered gets a few transfers, and all that there are once it has")
  func unproven() throws {
    var visitors = Visitors()
    let first = try visitors.visit("a")
    let second = try visitors.visit("a")
    let others = try (0..<5).map { _ in try visitors.ask("a") }
    #expect(!visitors.isWaiting(second))
    #expect(others.allSatisfy { visitors.isWaiting($0) })
    visitors.answer(first, at: at(0.1))
    #expect(others.allSatisfy { visitors.grants[$0]?.width == 1 })
    for _ in 0..<100 { #expect(try visitors.grant("a", at: at(0.2)) != nil) }
    #expect(visitors.book.waitingBytes == 0)
  }

  @Test("hosts that have not answered get half of the transfers together") func strangers() throws {
    var visitors = Visitors()
    try visitors.prove("proven")
    let first = try (0..<8).map { try visitors.visit("\($0)") }
    let rest = try (8..<12).map { try visitors.ask("\($0)") }
    #expect(first.allSatisfy { !visitors.isWaiting($0) })
    #expect(rest.allSatisfy { visitors.isWaiting($0) })
    #expect(try visitors.grant("proven") != nil)
    visitors.leave(first[0], at: at(1))
    #expect(rest.map { visitors.isWaiting($0) } == [false, true, true, true])
    // One that answers counts no more.
    visitors.answer(first[1], at: at(1))
    #expect(rest.map { visitors.isWaiting($0) } == [false, false, true, true])
    visitors.book.withdraw(rest[2])
    visitors.leave(first[2], at: at(1))
    #expect(rest.map { visitors.isWaiting($0) } == [false, false, true, false])
    #expect(visitors.book.waitingBytes == 0)
  }

  @Test("an outage ends the waiting for the host at once, and nobody else's") func outage() throws {
    var visitors = Visitors()
    let under = try [visitors.visit("dead"), visitors.visit("dead")]
    let waiting = try (0..<3).map { _ in try visitors.ask("dead") }
    let both = try visitors.ask(["dead": 1, "alive": 2])
    visitors.look(to: 4.75)
    #expect(visitors.isWaiting(waiting[0]))
    visitors.look(from: 5, to: 5)
    let refusal = HostRefusal.outage(for: .seconds(5), pause: .seconds(1))
    for turn in waiting {
      #expect(visitors.grants[turn]?.width == 0)
      #expect(try visitors.refusal(turn, "dead") == refusal)
    }
    #expect(visitors.grants[both]?.width == 2)
    #expect(try visitors.refusal(both, "dead") == refusal)
    #expect(try visitors.refusal(both, "alive") == nil)
    #expect(visitors.book.unhealthy.map(\.origin) == ["https://dead.example:443"])
    // Those under way go on. One that has an answer after all ends it.
    #expect(visitors.givenUp.isEmpty)
    visitors.answer(under[1], at: at(5.5))
    #expect(visitors.book.unhealthy.isEmpty)
    #expect(try visitors.grant("dead", at: at(5.5))?.width == 1)
  }

  @Test("one payload finds out whether an outage is over") func probe() throws {
    var visitors = Visitors()
    _ = try visitors.visit("dead")
    visitors.look(to: 5)
    #expect(try visitors.grant("dead", at: at(5.9))?.width == 0)
    let probe = try visitors.visit("dead", at: at(6))
    #expect(visitors.grants[probe]?.width == 1)
    #expect(
      try visitors.refusalNow("dead", at: at(6))
        == .outage(for: .seconds(6), pause: .zero))
    visitors.look(from: 5.25, to: 10.75)
    #expect(try visitors.grant("dead", at: at(10.75))?.width == 0)
    visitors.look(from: 11, to: 11)
    #expect(
      try visitors.refusalNow("dead", at: at(11))
        == .outage(for: .seconds(11), pause: .seconds(2)))
    let second = try visitors.visit("dead", at: at(13))
    visitors.answer(second, at: at(13.1))
    for _ in 0..<16 { #expect(try visitors.grant("dead", at: at(13.2))?.width == 1) }
  }

  @Test("a probe that is over without a result leaves it to the next one") func lostProbe() throws {
    var visitors = Visitors()
    _ = try visitors.visit("dead")
    visitors.look(to: 5)
    let probe = try visitors.ask("dead", at: at(6))
    visitors.leave(probe, at: at(6))
    #expect(try visitors.grant("dead", at: at(6))?.width == 1)
  }

  @Test("refused connections are an outage as well") func failures() throws {
    var visitors = Visitors()
    for number in 0..<9 {
      let turn = try visitors.visit("dead", at: at(Double(number)))
      visitors.fail(turn, at: at(Double(number)))
      visitors.leave(turn, at: at(Double(number)))
    }
    #expect(
      try visitors.refusalNow("dead", at: at(8.5))
        == .outage(for: .seconds(0.5), pause: .seconds(0.5)))
  }

  @Test("several media of a payload count, each of them") func several() throws {
    var visitors = Visitors()
    #expect(try visitors.grant(["a": 5])?.width == 2)
    #expect(try visitors.grant("a") == nil)
    #expect(try visitors.grant(["b": 2, "c": 1])?.width == 3)
    // Three are left of the eight.
    #expect(try visitors.grant(["d": 2, "e": 2])?.width == 3)
    #expect(try visitors.grant("f") == nil)
    #expect(try visitors.grant([:])?.width == 0)
  }

  @Test("a host that was used last is remembered, one in use is never forgotten") func bound() throws {
    var limits = HostLimits.small
    limits.maximumHosts = 4
    var visitors = Visitors(limits)
    let busy = try visitors.visit("busy")
    for host in ["a", "b", "c"] { try visitors.prove(host) }
    try visitors.prove("a")
    try visitors.prove("d")
    #expect(Set(visitors.book.hosts.keys) == Set(try ["busy", "a", "c", "d"].map { try .host($0) }))
    visitors.leave(busy, at: at(1))
    for number in 0..<1_000 { try visitors.prove("\(number)") }
    #expect(visitors.book.hosts.count == 4)
    // Nobody is forgotten who is asked right now, however many those are.
    _ = try visitors.ask(Dictionary(uniqueKeysWithValues: (0..<24).map { ("of-many-\($0)", 1) }))
    for host in 0..<24 { #expect(visitors.book.hosts[try .host("of-many-\(host)")]?.turns == 1) }
  }
}
