import Enriching
import Testing

@Suite("Whatever is in the way, the payload goes out as it came")
struct FallbackTests {
  @Test(arguments: Fallback.all)
  func isUnmodified(fallback: Fallback) async throws {
    let enriched = try await fallback.run()
    expectUnmodified(enriched, fallback.reason, saying: fallback.saying)
    #expect(enriched.stored.count == fallback.stored)
  }

  @Test("each reason is shown by a row") func complete() {
    let shown = Set(Fallback.all.map(\.reason))
    #expect(Reason.allCases.filter { !shown.contains($0) } == [])
  }
}
