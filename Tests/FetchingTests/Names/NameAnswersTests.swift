import CAres
import Supporting
import Testing

@testable import Fetching

/// How the answers for both families are combined, in simulated time.
@Suite("NameAnswers")
struct NameAnswersTests {
  private let start = ContinuousClock.now
  private let address = IPAddress(family: .v4, value: 1)
  private let other = IPAddress(family: .v6, value: 2)
  private let answers = NameAnswers(host: "a.example")

  private func answer(_ status: Int32, _ addresses: [IPAddress] = [], _ lifetime: Duration? = nil) {
    answers.answer(status: status, addresses: addresses, lifetime: lifetime, at: start)
  }

  @Test("the shorter time to live counts for both")
  func both() {
    answer(ARES_SUCCESS, [address], .seconds(60))
    #expect(answers.outcome(at: start) == nil)
    answer(ARES_SUCCESS, [other], .seconds(30))
    let expected = HostAddresses(addresses: [address, other], lifetime: .seconds(30))
    #expect(answers.outcome(at: start) == .success(expected))
  }

  @Test(
    "a family without an address does not affect the other", arguments: [ARES_ENODATA, ARES_ENOTFOUND])
  func one(status: Int32) {
    answer(status)
    answer(ARES_SUCCESS, [other], .seconds(30))
    let expected = HostAddresses(addresses: [other], lifetime: .seconds(30))
    #expect(answers.outcome(at: start) == .success(expected))
  }

  @Test("one family is enough in the end, and is good for one use")
  func half() {
    answer(ARES_SUCCESS, [address], .seconds(60))
    #expect(answers.end == start + .milliseconds(300))
    #expect(answers.outcome(at: start + .milliseconds(299)) == nil)
    let expected = HostAddresses(addresses: [address], lifetime: .zero)
    #expect(answers.outcome(at: start + .milliseconds(300)) == .success(expected))
    answer(ARES_ETIMEOUT)
    #expect(answers.end == nil)
    #expect(answers.outcome(at: start) == .success(expected))
  }

  @Test(
    "without an address it fails, with the error of the server if there is one",
    arguments: [
      (ARES_ENOTFOUND, ARES_ENODATA, false), (ARES_ENODATA, ARES_ESERVFAIL, true),
      (ARES_ETIMEOUT, ARES_ENOTFOUND, true), (ARES_EBADNAME, ARES_EBADNAME, false),
    ])
  func failure(first: Int32, second: Int32, isTransient: Bool) {
    answer(first)
    #expect(answers.end == nil)
    #expect(answers.outcome(at: start + .seconds(60)) == nil)
    answer(second)
    guard case .failure(let error) = answers.outcome(at: start) else {
      Issue.record("two answers without an address did not fail")
      return
    }
    #expect(error.unworded == .dnsFailed(host: "a.example", detail: "", isTransient: isTransient))
  }
}
