import Enriching
import Testing

@testable import Working

@Suite("A store that fails")
struct StoreOutageTests {
  private let start = ContinuousClock.now
  private let full = Failure(.storeFailed, "full", isStoreOutage: true)
  private var outage = StoreOutage()

  @Test("holds up nothing before three payloads in a row have failed") mutating func tolerance() {
    for _ in 0..<10 {
      #expect(fail(0) == .publish)
      #expect(fail(0) == .publish)
      #expect(outage.note(.untouched, at: start) == .publish)
      #expect(outage.allow(at: start) == .all)
      #expect(outage.note(.stored, at: start) == .publish)
    }
    #expect(outage.cause == nil)
  }

  @Test("then lets one payload a second through, and gives back the ones that fail") mutating func waiting() {
    close()
    #expect(outage.cause == StoreOutage.Cause(start: start, failure: full))
    #expect(fail(0.1) == .goBack)
    #expect(outage.allow(at: at(0.4)) == .none(.milliseconds(600)))
    #expect(outage.allow(at: at(1)) == .one)
    #expect(outage.allow(at: at(1)) == .none(.seconds(1)))
    #expect(fail(1.5) == .goBack)
    #expect(outage.allow(at: at(5)) == .one)
    #expect(outage.cause?.start == start)
    #expect(outage.note(.stored, at: at(5)) == .publish)
    #expect(outage.allow(at: at(5)) == .all)
    #expect(outage.cause == nil)
    #expect(fail(6) == .publish)
  }

  @Test("is tried again at once with another payload if a payload did not get to it")
  mutating func untouched() {
    close()
    #expect(outage.allow(at: at(1)) == .one)
    #expect(outage.note(.untouched, at: at(1.2)) == .publish)
    #expect(outage.allow(at: at(1.2)) == .one)
    #expect(outage.allow(at: at(1.2)) == .none(.seconds(1)))
    #expect(outage.cause != nil)
  }

  @Test("reports the last failure, including that of its own test") mutating func cause() {
    close()
    let missing = Failure(.storeFailed, "missing", isStoreOutage: true)
    outage.fail(missing)
    #expect(outage.cause?.failure == missing)
    #expect(fail(2) == .goBack)
    #expect(outage.cause?.failure == full)
  }

  @Test("holds up nothing while the queue is empty and its own test passes, but is not trusted yet")
  mutating func empty() {
    close()
    #expect(outage.allow(at: at(1)) == .one)
    outage.findNothing()
    #expect(outage.cause == nil)
    #expect(outage.allow(at: at(1.5)) == .none(.milliseconds(500)))
    #expect(outage.allow(at: at(2)) == .one)
    #expect(fail(2) == .goBack)
    #expect(outage.cause?.start == start)
  }

  @Test("that fails at the start lets only single tries through") mutating func atStart() {
    outage.begin(full, at: start)
    #expect(outage.cause == StoreOutage.Cause(start: start, failure: full))
    #expect(outage.allow(at: start) == .none(.seconds(1)))
    #expect(outage.allow(at: at(1)) == .one)
    #expect(fail(2) == .goBack)
    #expect(outage.note(.stored, at: at(3)) == .publish)
    #expect(outage.allow(at: at(3)) == .all)
  }

  @Test("that works ignores a failure of its own test") mutating func spurious() {
    outage.fail(full)
    outage.findNothing()
    #expect(outage.cause == nil)
    #expect(outage.allow(at: start) == .all)
  }

  private mutating func close() { for _ in 0..<3 { #expect(fail(0) == .publish) } }

  private mutating func fail(_ seconds: Double) -> StoreOutage.Fate {
    outage.note(.failed(full), at: at(seconds))
  }

  private func at(_ seconds: Double) -> ContinuousClock.Instant {
    start + .milliseconds(Int(seconds * 1_000))
  }
}
