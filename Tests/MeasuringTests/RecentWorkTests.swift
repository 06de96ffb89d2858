import Enriching
import Supporting
import Testing

@testable import Measuring

@Suite("Recent work")
struct RecentWorkTests {
  @Test("is listed slot by slot, oldest first, and dropped after the last slot") func ring() {
    var work = RecentWork()
    work.add(.enriched, microseconds: 1_000, in: 0)
    work.add(.unmodified(.dnsFailed), microseconds: 9_000, in: 1)
    work.add(.unmodified(.noMedia), microseconds: 100, in: 1)
    #expect(work.paces.suffix(2) == [.init(finished: 1, failed: 0), .init(finished: 2, failed: 1)])
    #expect(work.paces.count == 60)
    work.advance(to: 60)
    #expect(work.paces[0] == .init(finished: 2, failed: 1))
    #expect(work.verdictCounts.reduce(0, +) == 2)
    #expect(work.durations.count == 2)
    work.advance(to: 61)
    #expect(work.paces.allSatisfy { $0 == .init() })
    #expect(work.durations.count == 0)
  }

  @Test("is forgotten at once after a long time, and never goes back") func gap() {
    var work = RecentWork()
    for slot in 0..<200 { work.add(.enriched, microseconds: 1, in: slot) }
    #expect(work.durations.count == 60)
    work.add(.enriched, microseconds: 1, in: 1_000_000)
    #expect(work.durations.count == 1)
    // A clock that was read before another.
    work.add(.enriched, microseconds: 1, in: 999_999)
    #expect(work.paces.last == .init(finished: 2, failed: 0))
  }
}
