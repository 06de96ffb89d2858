import Testing

@testable import Fetching

/// Who is asked for, and for how long, at times that the test makes up.
@Suite("LookupTurns")
struct LookupTurnsTests {
  private let start = ContinuousClock.now
  private let half = LookupTurns.shortest
  private let moment = Duration.nanoseconds(1)

  private func names(_ numbers: Range<Int>) -> [Lookup] { numbers.map { Lookup(host: "\($0)") } }

  /// Hosts that get their turn now, in order.
  private func begin(_ turns: inout LookupTurns, at time: Duration) -> [String] {
    var hosts: [String] = []
    while let lookup = turns.next(at: start + time) { hosts.append(lookup.host) }
    return hosts
  }

  private func hosts(_ numbers: Range<Int>) -> [String] { numbers.map { "\($0)" } }

  @Test("16 at once, the others in order")
  func order() {
    var turns = LookupTurns()
    let lookups = names(0..<40)
    for lookup in lookups { turns.add(lookup) }
    #expect(begin(&turns, at: .zero) == hosts(0..<16))
    #expect(turns.end == start + half)
    turns.remove(lookups[3])
    turns.remove(lookups[9])
    // Waits no more.
    turns.remove(lookups[16])
    #expect(begin(&turns, at: .zero) == ["17", "18"])
    #expect(turns.current.count == LookupTurns.maximum)
  }

  @Test("alone, a name is asked for again and again, with longer and longer turns")
  func alone() {
    var turns = LookupTurns()
    turns.add(Lookup(host: "0"))
    #expect(turns.end == nil)
    var time = Duration.zero
    #expect(begin(&turns, at: time) == ["0"])
    for factor in [1, 2, 4, 8, 16, 16, 16] {
      time += half * factor
      #expect(turns.end == start + time)
      #expect(begin(&turns, at: time - moment) == [])
      #expect(begin(&turns, at: time) == ["0"])
    }
  }

  @Test("those without an answer make room for a new one, after half a second and not before")
  func silent() {
    var turns = LookupTurns()
    for lookup in names(0..<17) { turns.add(lookup) }
    #expect(begin(&turns, at: .zero) == hosts(0..<16))
    #expect(begin(&turns, at: half - moment) == [])
    #expect(begin(&turns, at: half) == ["16"] + hosts(0..<15))
    #expect(turns.current.map(\.host) == ["16"] + hosts(0..<15))
  }

  @Test("new ones come before those that had their turn")
  func firstComers() {
    var turns = LookupTurns()
    for lookup in names(0..<32) { turns.add(lookup) }
    #expect(begin(&turns, at: .zero) == hosts(0..<16))
    #expect(begin(&turns, at: half) == hosts(16..<32))
    for lookup in names(32..<34) { turns.add(lookup) }
    #expect(begin(&turns, at: half) == [])
    #expect(begin(&turns, at: half * 2).prefix(2) == ["32", "33"])
  }

  @Test("where answers come sooner, they make room sooner, after four times as long as the slow ones take")
  func quickAnswers() {
    for (answer, patience) in [(200, 500), (100, 400), (30, 120), (1, 25)] {
      var turns = LookupTurns()
      for lookup in names(0..<17) { turns.add(lookup) }
      #expect(begin(&turns, at: .zero) == hosts(0..<16))
      turns.noteAnswer(after: .milliseconds(answer))
      #expect(turns.end == start + .milliseconds(patience))
      #expect(begin(&turns, at: .milliseconds(patience) - moment) == [])
      #expect(begin(&turns, at: .milliseconds(patience)).first == "16")
    }
  }

  @Test("a slow answer is remembered, and forgotten by and by")
  func slowAnswers() {
    var turns = LookupTurns()
    for lookup in names(0..<17) { turns.add(lookup) }
    _ = begin(&turns, at: .zero)
    turns.noteAnswer(after: .milliseconds(64))
    turns.noteAnswer(after: .milliseconds(1))
    #expect(turns.end == start + .milliseconds(224))
    for _ in 0..<100 { turns.noteAnswer(after: .milliseconds(1)) }
    #expect(turns.end == start + .milliseconds(25))
  }

  @Test("each turn is twice as long as the last one, up to 8 s, but for new ones")
  func patience() {
    var turns = LookupTurns()
    let lookups = names(0..<17)
    for lookup in lookups { turns.add(lookup) }
    var time = Duration.zero
    #expect(begin(&turns, at: time).count == 16)
    for _ in 0..<10 {
      time += .seconds(8)
      #expect(!begin(&turns, at: time).isEmpty)
    }
    for lookup in turns.current {
      #expect(lookup.end(patience: nil) - lookup.end(patience: half) <= half * 15)
    }
    #expect(turns.current.contains { $0.end(patience: nil) - $0.end(patience: half) == half * 15 })
    turns.add(Lookup(host: "new"))
    #expect(begin(&turns, at: time + half).first == "new")
  }
}
