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
    #expect(others.allSatisfy { visitors.answers[$0] == .granted })
    for _ in 0..<100 { #expect(try visitors.answerNow("a", at: at(0.2)) == .granted) }
    #expect(visitors.book.waitingBytes == 0)
  }

  @Test("hosts that have not answered get half of the transfers together") func strangers() throws {
    var visitors = Visitors()
    try visitors.prove("proven")
    let first = try (0..<8).map { try visitors.visit("\($0)") }
    let rest = try (8..<12).map { try visitors.ask("\($0)") }
    #expect(first.allSatisfy { !visitors.isWaiting($0) })
    #expect(rest.allSatisfy { visitors.isWaiting($0) })
    #expect(try visitors.answerNow("proven") == .granted)
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
    let other = try visitors.ask("alive")
    visitors.look(to: 4.75)
    #expect(visitors.isWaiting(waiting[0]))
    visitors.look(from: 5, to: 5)
    let refusal = HostRefusal.outage(for: .seconds(5), pause: .seconds(1))
    #expect(waiting.allSatisfy { visitors.answers[$0] == .refused(refusal) })
    #expect(visitors.answers[other] == .granted)
    #expect(visitors.book.unhealthy.map(\.origin) == ["https://dead.example:443"])
    // Those under way go on. One that has an answer after all ends it.
    #expect(visitors.givenUp.isEmpty)
    visitors.answer(under[1], at: at(5.5))
    #expect(visitors.book.unhealthy.isEmpty)
    #expect(try visitors.answerNow("dead", at: at(5.5)) == .granted)
  }

  @Test("one payload finds out whether an outage is over") func probe() throws {
    var visitors = Visitors()
    _ = try visitors.visit("dead")
    visitors.look(to: 5)
    #expect(
      try visitors.answerNow("dead", at: at(5.75))
        == .refused(.outage(for: .seconds(5.75), pause: .seconds(0.25))))
    let probe = try visitors.visit("dead", at: at(6))
    #expect(visitors.answers[probe] == .granted)
    #expect(
      try visitors.answerNow("dead", at: at(6))
        == .refused(.outage(for: .seconds(6), pause: .zero)))
    visitors.look(from: 5.25, to: 10.75)
    #expect(
      try visitors.answerNow("dead", at: at(10.75))
        == .refused(.outage(for: .seconds(10.75), pause: .zero)))
    visitors.look(from: 11, to: 11)
    #expect(
      try visitors.answerNow("dead", at: at(11))
        == .refused(.outage(for: .seconds(11), pause: .seconds(2))))
    let second = try visitors.visit("dead", at: at(13))
    visitors.answer(second, at: at(13.1))
    // Not all transfers yet, who has just been silent: those two, and two more.
    let next = try (0..<3).map { _ in try visitors.ask("dead", at: at(13.2)) }
    #expect(next.map { visitors.isWaiting($0) } == [false, true, true])
  }

  @Test("a probe that is over without a result leaves it to the next one") func lostProbe() throws {
    var visitors = Visitors()
    _ = try visitors.visit("dead")
    visitors.look(to: 5)
    let probe = try visitors.ask("dead", at: at(6))
    visitors.leave(probe, at: at(6))
    #expect(try visitors.answerNow("dead", at: at(6)) == .granted)
  }

  @Test("and so does one by a redirect, whose turn is another host's, also when it is given up")
  func lostProbeOfRedirect() throws {
    for isGivenUp in [false, true] {
      var visitors = Visitors()
      let first = try visitors.visit("dead")
      visitors.look(to: 5)
      visitors.end(first, at: at(5))
      visitors.leave(first, at: at(5))
      try visitors.prove("alive", at: at(5))
      let redirected = try visitors.ask("alive", at: at(6))
      #expect(try visitors.begin(redirected, "dead", at: at(6)) == nil)
      if isGivenUp {
        // Others wait for hosts that have not answered, and twice the hush is over.
        for number in 0..<9 { _ = try visitors.visit("new\(number)", at: at(6)) }
        visitors.look(from: 6, to: 8.5)
        #expect(visitors.givenUp[redirected] != nil)
      } else {
        visitors.end(redirected, at: at(7))
      }
      visitors.leave(redirected, at: at(9))
      #expect(try visitors.book.hosts[.host("dead")]?.standing(at: at(9)) == .probed)
    }
  }

  @Test("refused connections are an outage as well") func failures() throws {
    var visitors = Visitors()
    for number in 0..<9 {
      let turn = try visitors.visit("dead", at: at(Double(number)))
      visitors.fail(turn, at: at(Double(number)))
      visitors.leave(turn, at: at(Double(number)))
    }
    #expect(
      try visitors.answerNow("dead", at: at(8.5))
        == .refused(.outage(for: .seconds(0.5), pause: .seconds(0.5))))
  }

  @Test("who lets in and hangs up is in no outage of refusals any more, and proven by nothing")
  func hangingUp() throws {
    var visitors = Visitors()
    func refuse(_ count: Int, at now: ContinuousClock.Instant) throws {
      for _ in 0..<count {
        let turn = try visitors.visit("a", at: now)
        visitors.fail(turn, at: now)
        visitors.leave(turn, at: now)
      }
    }
    try refuse(9, at: at(0))
    let probe = try visitors.visit("a", at: at(1))
    let beside = try visitors.answerNow("a", at: at(1))
    #expect(beside == .refused(.outage(for: .seconds(1), pause: .zero)))
    visitors.hangUp(probe, at: at(1))
    #expect(visitors.book.unhealthy.isEmpty)
    visitors.leave(probe, at: at(1))
    try refuse(4, at: at(1))
    #expect(visitors.book.unhealthy.isEmpty)
    try refuse(1, at: at(1))
    #expect(visitors.book.unhealthy.count == 1)
  }

  @Test("and of one of silence nothing is known") func hangingUpBesideSilence() throws {
    var visitors = Visitors()
    try visitors.prove("a")
    for url in 1...3 { _ = try visitors.visit("a", url) }
    visitors.look(to: 5)
    let probe = try visitors.visit("a", 4, at: at(6))
    visitors.hangUp(probe, at: at(6))
    visitors.leave(probe, at: at(6))
    #expect(visitors.book.unhealthy.count == 1)
    #expect(try visitors.answerNow("a", 5, at: at(6)) == .granted)
  }

  @Test("a URL that hangs is out alone, and others have transfers beside it") func hangingURL() throws {
    var visitors = Visitors()
    let hanging = try (0..<2).map { _ in try visitors.visit("a", 1) }
    let more = try visitors.ask("a", 1)
    let other = try visitors.ask("a", 2)
    #expect(hanging.allSatisfy { visitors.answers[$0] == .granted })
    visitors.look(to: 5)
    #expect(visitors.answers[more] == .refused(.outage(for: .seconds(5), pause: .seconds(1))))
    #expect(visitors.answers[other] == .granted)
    _ = try visitors.begin(other, "a", 2, at: at(5))
    visitors.answer(other, at: at(5.5))
    #expect(visitors.book.unhealthy.isEmpty)
    #expect(try visitors.answerNow("a", 1, at: at(5.5)) == .granted)
  }

  @Test("three URLs that hang are an outage of all, and wait behind others to try again")
  func hangingURLs() throws {
    var visitors = Visitors()
    try visitors.prove("a")
    for url in 1...3 { _ = try visitors.visit("a", url) }
    visitors.look(to: 5)
    #expect(
      try visitors.answerNow("a", 4, at: at(5.5))
        == .refused(.outage(for: .seconds(5.5), pause: .seconds(0.5))))
    #expect(
      try visitors.answerNow("a", 3, at: at(6)) == .refused(.outage(for: .seconds(6), pause: .seconds(1))))
    let probe = try visitors.visit("a", 4, at: at(6))
    #expect(visitors.answers[probe] == .granted)
    visitors.answer(probe, at: at(6.5))
    #expect(visitors.book.unhealthy.isEmpty)
  }

  @Test("those that were silent do try again where nobody else does") func hangingProbe() throws {
    var visitors = Visitors()
    try visitors.prove("a")
    for url in 1...3 { _ = try visitors.visit("a", url) }
    visitors.look(to: 5)
    #expect(try visitors.answerNow("a", 3, at: at(7)) == .granted)
    #expect(try visitors.answerNow("a", 4, at: at(7)) == .refused(.outage(for: .seconds(7), pause: .zero)))
  }

  @Test("turns of hosts that may not answer are counted, whatever becomes of the hosts") func count() throws {
    var visitors = Visitors()
    try visitors.prove("a")
    let turns = try (0..<5).map { _ in try visitors.visit("a") }
    #expect(visitors.book.unprovenTurns == 0)
    visitors.fail(turns[0], at: at(1))
    #expect(visitors.book.unprovenTurns == 5)
    visitors.leave(turns[0], at: at(1))
    #expect(visitors.book.unprovenTurns == 4)
    visitors.answer(turns[1], at: at(2))
    #expect(visitors.book.unprovenTurns == 0)
    visitors.fail(turns[2], at: at(3))
    #expect(visitors.book.unprovenTurns == 4)
    for turn in turns.dropFirst() { visitors.leave(turn, at: at(4)) }
    #expect(visitors.book.unprovenTurns == 0)
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
    for number in 0..<8 { _ = try visitors.ask("of-many-\(number)") }
    for number in 0..<8 { #expect(visitors.book.hosts[try .host("of-many-\(number)")]?.turns == 1) }
  }
}
