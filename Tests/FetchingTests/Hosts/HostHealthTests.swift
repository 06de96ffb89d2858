import Testing

@testable import Fetching

/// The circuit breaker of one host.
@Suite("Health of a host")
struct HostHealthTests {
  private let limits = HostLimits.small

  @Test("is unproven until it answers, and from a failure to the next answer") func proof() {
    var host = HostHealth()
    #expect(host.standing(at: at(0)) == .unproven)
    host.complete(since: at(0), at: at(0))
    #expect(host.standing(at: at(0)) == .proven)
    host.fail(1, since: at(0), at: at(1), limits)
    #expect(host.standing(at: at(1)) == .unproven)
    host.complete(since: at(1), at: at(2))
    #expect(host.standing(at: at(1_000)) == .proven)
  }

  @Test(
    "is in an outage after five seconds in which it left everything without an answer, not before",
    arguments: [(nil, 0.0), (1.0, 3.0), (3.0, 3.0)] as [(Double?, Double)])
  func silence(lastDelivery: Double?, asked: Double) {
    var host = HostHealth()
    if let lastDelivery { host.complete(since: at(lastDelivery), at: at(lastDelivery)) }
    host.look([at(asked + 1), at(asked)], at: at(asked + 4.999), limits)
    #expect(host.outage == nil)
    host.look([] as [HostHealth.Instant], at: at(1_000), limits)
    #expect(host.outage == nil)
    host.look([at(asked + 1), at(asked)], at: at(asked + 5), limits)
    #expect(host.outage?.since == at(asked))
    #expect(
      host.standing(at: at(asked + 5.5)) == .refused(.outage(for: .seconds(5.5), pause: .seconds(0.5))))
  }

  @Test("a few that were forgotten before its last answer are no outage, many are") func forgotten() {
    var host = HostHealth()
    host.complete(since: at(4), at: at(4))
    host.look([at(0), at(1)], at: at(1_000), limits)
    #expect(host.outage == nil)
    host.look([at(0), at(1), at(2)], at: at(8.999), limits)
    #expect(host.outage == nil)
    host.look([at(0), at(1), at(2)], at: at(9), limits)
    #expect(host.outage?.since == at(4))
  }

  @Test("is tried again after a pause that is doubled up to a minute, once at a time") func probes() {
    var host = HostHealth()
    host.look([at(0)], at: at(5), limits)
    var now = 5.0
    for pause in [1.0, 2, 4, 8, 16, 32, 60, 60] {
      #expect(host.outage?.nextTry == at(now + pause))
      #expect(
        host.standing(at: at(now + pause - 0.5))
          == .refused(.outage(for: .seconds(now + pause - 0.5), pause: .seconds(0.5))))
      now += pause
      #expect(host.standing(at: at(now)) == .probed)
      host.beginProbe(7)
      #expect(host.standing(at: at(now)) == .refused(.outage(for: .seconds(now), pause: .zero)))
      // It waits for a transfer, and time passes.
      host.look([at(0)], at: at(now + 20), limits)
      #expect(host.standing(at: at(now + 20)) == .refused(.outage(for: .seconds(now + 20), pause: .zero)))
      host.begin(7, at: at(now + 20))
      host.look([at(0)], at: at(now + 24.999), limits)
      #expect(host.outage?.probe?.turn == 7)
      now += 25
      host.look([at(0)], at: at(now), limits)
      #expect(host.outage?.probe == nil)
    }
    host.complete(since: at(now), at: at(now))
    #expect(host.standing(at: at(now)) == .unproven)
    host.complete(since: at(now + 10), at: at(now + 10))
    #expect(host.standing(at: at(now + 10)) == .proven)
  }

  @Test("a probe that fails begins the next pause, one that finds nothing out leaves it to the next")
  func ends() {
    var host = HostHealth()
    host.look([at(0)], at: at(5), limits)
    host.beginProbe(1)
    host.leave(1)
    #expect(host.standing(at: at(6)) == .probed)
    host.beginProbe(2)
    // That of somebody else.
    host.fail(1, since: at(0), at: at(6), limits)
    host.leave(1)
    #expect(host.outage?.probe?.turn == 2)
    host.fail(2, since: at(6), at: at(6), limits)
    #expect(host.standing(at: at(6)) == .refused(.outage(for: .seconds(6), pause: .seconds(2))))
  }

  @Test("is in an outage after nine failures in a row") func failures() {
    var host = HostHealth()
    for _ in 0..<2 {
      for _ in 0..<8 { host.fail(1, since: at(3), at: at(4), limits) }
      #expect(host.outage == nil)
      host.complete(since: at(4), at: at(4))
    }
    for _ in 0..<9 { host.fail(1, since: at(5), at: at(6), limits) }
    #expect(host.standing(at: at(6)) == .refused(.outage(for: .seconds(2), pause: .seconds(1))))
  }

  @Test("gets more time where its answers take long", arguments: [(1.0, 5.0), (3, 6), (6, 12), (20, 15)])
  func patience(answer: Double, patience: Double) {
    var host = HostHealth()
    host.complete(since: at(0), at: at(answer))
    #expect(host.patience(limits) == .seconds(patience))
    for _ in 0..<40 { host.complete(since: at(0), at: at(0.001)) }
    #expect(host.patience(limits) == .seconds(5))
  }

  @Test("pauses differ by a quarter at most") func jitter() {
    var limits = limits
    limits.jitter = 0.25
    for _ in 0..<100 {
      var host = HostHealth()
      host.look([at(0)], at: at(5), limits)
      let next = host.outage?.nextTry ?? at(0)
      #expect((at(5.75)...at(6.25)).contains(next))
    }
  }
}
