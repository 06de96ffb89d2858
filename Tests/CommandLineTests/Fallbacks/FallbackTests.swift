import Enriching
import Testing

@Suite("Whatever goes wrong, the payload goes out byte for byte")
struct FallbackTests {
  @Test(arguments: Fallback.quick)
  func isUnmodified(fallback: Fallback) async throws { try await check(fallback) }

  /// All at once even if tests run one by one, because they mostly wait.
  @Test("at the deadline, too, with what was waited for") func deadline() async throws {
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

  @Test("each reason has a row") func complete() {
    let shown = Set((Fallback.quick + Fallback.ofTime).map(\.reason))
    // Only queues have these reasons, and their tests show them.
    #expect(Reason.allCases.filter { !shown.contains($0) } == [.hostUnhealthy, .invalidPayload, .poison])
  }
}
