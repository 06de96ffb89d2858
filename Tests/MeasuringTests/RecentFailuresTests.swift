import Enriching
import Testing

@testable import Measuring

@Suite("Recent failures")
struct RecentFailuresTests {
  private let start = ContinuousClock.now

  @Test("are listed latest first, each kind at each host once") func flood() {
    var failures = RecentFailures()
    failures.add(Failure(.tlsFailed, "expired"), host: "a", at: start)
    for second in 1...1_000 {
      failures.add(Failure(.deadlineExceeded, "\(second)"), host: "b", at: start + .seconds(second))
    }
    #expect(failures.entries.map(\.reason) == [.deadlineExceeded, .tlsFailed])
    #expect(failures.entries[0].count == 1_000)
    #expect(failures.entries[0].detail == "1000")
    #expect(failures.entries[0].time == start + .seconds(1_000))
  }

  @Test("are twenty at most, with short texts") func bounds() {
    var failures = RecentFailures()
    for number in 0..<100 {
      failures.add(
        Failure(.encodingNotAllowed, String(repeating: "é", count: 10_000)), host: "\(number)", at: start)
    }
    #expect(failures.entries.map(\.host) == (80..<100).reversed().map { "\($0)" })
    #expect(failures.entries.allSatisfy { $0.detail.utf8.count <= RecentFailures.maximumDetail + 6 })
  }
}
