import Enriching
import TestSupport
import Testing

/// `Fixtures/in-place` has the whole expected result of each case that is enriched in place.
@Suite("Every case of Fixtures/payloads, written in place", .servedByNginx)
struct InPlaceFixtureTests {
  @Test("each enriched case has an expected result") func count() {
    let results = Set(Files.names(in: Fixtures.inPlace))
    #expect(PayloadFixture.all.filter { $0.reason == nil && !results.contains("\($0.name).json") }.count == 0)
    #expect(results.subtracting(PayloadFixture.all.map { "\($0.name).json" }) == [])
  }

  @Test(arguments: PayloadFixture.all)
  func comesOutAsExpected(fixture: PayloadFixture) async throws {
    let nginx = try #require(ServedByNginx.server)
    let enriched = try await enrich(
      fixture.served(from: nginx.httpOrigin),
      reaching(nginx.httpPort) + fixture.arguments + ["--write", "in-place"])
    guard let result = try? Files.read("\(Fixtures.inPlace)/\(fixture.name).json") else {
      return expectUnmodified(enriched, try #require(fixture.reason.flatMap { Reason(rawValue: $0) }))
    }
    // URLs that failed, or that are not media, stay in place.
    let expected = String(decoding: result, as: UTF8.self).replacing(
      "https://media.example", with: nginx.httpOrigin)
    #expect(enriched.run.output == expected)
    #expect(enriched.run.termination == .exited(0))
    #expect(enriched.outcome == "enriched")
    #expect(enriched.stored.allSatisfy { expected.contains(publicURL + $0) })
  }
}
