import Enriching
import Testing

@Suite("Whatever is in the way, the payload goes out as it came")
struct FallbackTests {
  @Test(arguments: Fallback.quick)
  func isUnmodified(fallback: Fallback) async throws { try await check(fallback) }

  /// Together even where tests run one by one, because they mostly wait.
  @Test("at the deadline too, and with what was waited for") func deadline() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for fallback in Fallback.ofTime { group.addTask { try await check(fallback) } }
      try await group.waitForAll()
    }
  }

  private func check(_ fallback: Fallback) async throws {
    let enriched = try await fallback.run()
    expectUnmodified(enriched, fallback.reason, saying: fallback.saying)
    #expect(enriched.stored.count == fallback.stored)
  }

  @Test("each reason is shown by a row") func complete() {
    let shown = Set((Fallback.quick + Fallback.ofTime).map(\.reason))
    // These are reasons of a queue alone, and shown by its tests.
    #expect(Reason.allCases.filter { !shown.contains($0) } == [.hostUnhealthy, .invalidPayload, .poison])
  }
}
