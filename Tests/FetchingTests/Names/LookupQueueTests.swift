import Testing

@testable import Fetching

/// Which names are looked up and for how long, in simulated time.
@Suite("LookupQueue")
struct LookupQueueTests {
  private let start = ContinuousClock.now
  private let half = LookupQueue.shortestAttempt
  private let moment = Duration.nanoseconds(1)

  private func names(_ numbers: Range<Int>) -> [Lookup] { numbers.map { Lookup(host: "\($0)") } }

  /// The hosts that get their turn now, in order.
  private func begin(_ queue: inout LookupQueue, at time: Duration) -> [String] {
    var hosts: [String] = []
    while let lookup = queue.next(at: start + time) { hosts.append(lookup.host) }
    return hosts
  }

  private func hosts(_ numbers: Range<Int>) -> [String] { numbers.map { "\($0)" } }

  @Test("16 names are looked up at once, the others in order")
  func order() {
    var queue = LookupQueue()
    let lookups = names(0..<40)
    for lookup in lookups { queue.add(lookup) }
    #expect(begin(&queue, at: .zero) == hosts(0..<16))
    #expect(queue.firstEnd == start + half)
    queue.remove(lookups[3])
    queue.remove(lookups[9])
    // This one no longer waits.
    queue.remove(lookups[16])
    #expect(begin(&queue, at: .zero) == ["17", "18"])
    #expect(queue.active.count == LookupQueue.maximumActive)
  }

  @Test("a name without competition is asked for again and again, with growing timeouts")
  func alone() {
    var queue = LookupQueue()
    queue.add(Lookup(host: "0"))
    #expect(queue.firstEnd == nil)
    var time = Duration.zero
    #expect(begin(&queue, at: time) == ["0"])
    for factor in [1, 2, 4, 8, 16, 16, 16] {
      time += half * factor
      #expect(queue.firstEnd == start + time)
      #expect(begin(&queue, at: time - moment) == [])
      #expect(begin(&queue, at: time) == ["0"])
    }
  }

  @Test("a name without an answer makes room for a new one after half a second, and not before")
  func silent() {
    var queue = LookupQueue()
    for lookup in names(0..<17) { queue.add(lookup) }
    #expect(begin(&queue, at: .zero) == hosts(0..<16))
    #expect(begin(&queue, at: half - moment) == [])
    #expect(begin(&queue, at: half) == ["16"] + hosts(0..<15))
    #expect(queue.active.map(\.host) == ["16"] + hosts(0..<15))
  }

  @Test("new names come before names that have been tried")
  func firstComers() {
    var queue = LookupQueue()
    for lookup in names(0..<32) { queue.add(lookup) }
    #expect(begin(&queue, at: .zero) == hosts(0..<16))
    #expect(begin(&queue, at: half) == hosts(16..<32))
    for lookup in names(32..<34) { queue.add(lookup) }
    #expect(begin(&queue, at: half) == [])
    #expect(begin(&queue, at: half * 2).prefix(2) == ["32", "33"])
  }

  @Test("with a quick server, names make room sooner: after four times the slow response times")
  func quickAnswers() {
    for (answer, patience) in [(200, 500), (100, 400), (30, 120), (1, 25)] {
      var queue = LookupQueue()
      for lookup in names(0..<17) { queue.add(lookup) }
      #expect(begin(&queue, at: .zero) == hosts(0..<16))
      queue.answered(after: .milliseconds(answer))
      #expect(queue.firstEnd == start + .milliseconds(patience))
      #expect(begin(&queue, at: .milliseconds(patience) - moment) == [])
      #expect(begin(&queue, at: .milliseconds(patience)).first == "16")
    }
  }

  @Test("a slow answer is remembered, and gradually forgotten")
  func slowAnswers() {
    var queue = LookupQueue()
    for lookup in names(0..<17) { queue.add(lookup) }
    _ = begin(&queue, at: .zero)
    queue.answered(after: .milliseconds(64))
    queue.answered(after: .milliseconds(1))
    #expect(queue.firstEnd == start + .milliseconds(224))
    for _ in 0..<100 { queue.answered(after: .milliseconds(1)) }
    #expect(queue.firstEnd == start + .milliseconds(25))
  }

  @Test("each attempt takes twice as long as the last, up to 8 s, unless a new name waits")
  func attempts() {
    var queue = LookupQueue()
    let lookups = names(0..<17)
    for lookup in lookups { queue.add(lookup) }
    var time = Duration.zero
    #expect(begin(&queue, at: time).count == 16)
    for _ in 0..<10 {
      time += .seconds(8)
      #expect(!begin(&queue, at: time).isEmpty)
    }
    for lookup in queue.active {
      #expect(lookup.patience <= half * 16)
    }
    #expect(queue.active.contains { $0.patience == half * 16 })
    queue.add(Lookup(host: "new"))
    #expect(begin(&queue, at: time + half).first == "new")
  }
}
