import Supporting
import Testing

@testable import Fetching
@testable import Measuring

@Suite("Stages")
struct StageTests {
  @Test("are the intervals between the times of a request") func all() {
    var hop = Hop(url: "https://a.example/", attempt: 1)
    (hop.timings.dns, hop.timings.connect, hop.timings.tls) = (10, 30, 60)
    (hop.timings.firstByte, hop.timings.total) = (100, 150)
    #expect(Self.spelled(hop) == ["lookup 10", "connect 20", "tls 30", "first-byte 40", "transfer 50"])
  }

  @Test("that a request did not come to are left out") func some() {
    var hop = Hop(url: "http://127.0.0.1/", attempt: 1, error: .connectFailed(detail: "", isTransient: true))
    #expect(Self.spelled(hop) == [])
    (hop.timings.connect, hop.timings.firstByte, hop.timings.total) = (30, 25, 20)
    #expect(Self.spelled(hop) == ["connect 30", "first-byte 0"])
  }

  private static func spelled(_ hop: Hop) -> [String] {
    var durations: [String] = []
    Stage.forEachDuration(of: hop) { durations.append("\($0.rawValue) \($1)") }
    return durations
  }
}
