import Testing
@testable import Fetching
import Supporting

@Suite("Circuit breaker")
struct CircuitBreakerTests {
  private let limits = HostLimits.small

  @Test("a host is unproven until it delivers, and from a failure to the next delivery") func proof() {
    var host = CircuitBreaker()
    #expect(host.state(at: at(0)) == .unproven)
    host.complete(since: at(0), at: at(0))
    #expect(host.state(at: at(0)) == .proven)
    host.failed(with: 1, since: at(0), at: at(1), limits)
    #expect(host.state(at: at(1)) == .unproven)
    host.complete(since: at(1), at: at(2))
    #expect(host.state(at: at(1_000)) == .proven)
  }

  @Test(
    "a host that leaves everything unanswered for five seconds is in an outage, not before",
    arguments: [(nil, 0.0), (1.0, 3.0), (3.0, 3.0)] as [(Double?, Double)])
  func silence(lastDelivery: Double?, asked: Double) {
    var host = CircuitBreaker()
    if let lastDelivery { host.complete(since: at(lastDelivery), at: at(lastDelivery)) }
    host.tick([at(asked + 1), at(asked)], at: at(asked + 4.999), limits)
    #expect(host.outage == nil)
    host.tick([] as [CircuitBreaker.Instant], at: at(1_000), limits)
    #expect(host.outage == nil)
    host.tick([at(asked + 1), at(asked)], at: at(asked + 5), limits)
    #expect(host.outage?.since == at(asked))
    #expect(
      host.state(at: at(asked + 5.5)) == .open(.outage(for: .seconds(5.5), pause: .seconds(0.5))))
  }

  @Test("a few requests that are older than the last delivery are no outage, many are") func forgotten() {
    var host = CircuitBreaker()
    host.complete(since: at(4), at: at(4))
    host.tick([at(0), at(1)], at: at(1_000), limits)
    #expect(host.outage == nil)
    host.tick([at(0), at(1), at(2)], at: at(8.999), limits)
    #expect(host.outage == nil)
    host.tick([at(0), at(1), at(2)], at: at(9), limits)
    #expect(host.outage?.since == at(4))
  }

  @Test("one probe at a time follows each pause, which doubles up to a minute") func probes() {
    var host = CircuitBreaker()
    host.tick([at(0)], at: at(5), limits)
    var now = 5.0
    for pause in [1.0, 2, 4, 8, 16, 32, 60, 60] {
      #expect(host.outage?.nextTry == at(now + pause))
      #expect(
        host.state(at: at(now + pause - 0.5))
          == .open(.outage(for: .seconds(now + pause - 0.5), pause: .seconds(0.5))))
      now += pause
      #expect(host.state(at: at(now)) == .halfOpen)
      host.reserveProbe(for: 7)
      #expect(host.state(at: at(now)) == .open(.outage(for: .seconds(now), pause: .zero)))
      // It waits for a transfer, and time passes.
      host.tick([at(0)], at: at(now + 20), limits)
      #expect(host.state(at: at(now + 20)) == .open(.outage(for: .seconds(now + 20), pause: .zero)))
      host.requestSent(with: 7, at: at(now + 20))
      host.tick([at(0)], at: at(now + 24.999), limits)
      #expect(host.outage?.probe?.permit == 7)
      now += 25
      host.tick([at(0)], at: at(now), limits)
      #expect(host.outage?.probe == nil)
    }
    host.complete(since: at(now), at: at(now))
    #expect(host.state(at: at(now)) == .proven)
  }

  @Test("a failed probe begins the next pause, an abandoned one lets another follow at once")
  func ends() {
    var host = CircuitBreaker()
    host.tick([at(0)], at: at(5), limits)
    host.reserveProbe(for: 1)
    host.abandonProbe(of: 1)
    #expect(host.state(at: at(6)) == .halfOpen)
    host.reserveProbe(for: 2)
    // That of somebody else.
    host.failed(with: 1, since: at(0), at: at(6), limits)
    host.abandonProbe(of: 1)
    #expect(host.outage?.probe?.permit == 2)
    host.failed(with: 2, since: at(6), at: at(6), limits)
    #expect(host.state(at: at(6)) == .open(.outage(for: .seconds(6), pause: .seconds(2))))
  }

  @Test("nine failures in a row are an outage") func failures() {
    var host = CircuitBreaker()
    for _ in 0..<2 {
      for _ in 0..<8 { host.failed(with: 1, since: at(3), at: at(4), limits) }
      #expect(host.outage == nil)
      host.complete(since: at(4), at: at(4))
    }
    for _ in 0..<9 { host.failed(with: 1, since: at(5), at: at(6), limits) }
    #expect(host.state(at: at(6)) == .open(.outage(for: .seconds(2), pause: .seconds(1))))
  }

  @Test(
    "a host whose responses take long gets more time", arguments: [(1.0, 5.0), (3, 6), (6, 12), (20, 15)])
  func answerTimeout(answer: Double, timeout: Double) {
    var host = CircuitBreaker()
    host.complete(since: at(0), at: at(answer))
    #expect(host.answerTimeout(limits) == .seconds(timeout))
    for _ in 0..<40 { host.complete(since: at(0), at: at(0.001)) }
    #expect(host.answerTimeout(limits) == .seconds(5))
  }

  @Test("pauses are jittered by a quarter at most") func jitter() {
    var limits = limits
    limits.jitter = 0.25
    for _ in 0..<100 {
      var host = CircuitBreaker()
      host.tick([at(0)], at: at(5), limits)
      let next = host.outage?.nextTry ?? at(0)
      #expect((at(5.75)...at(6.25)).contains(next))
    }
  }
}
