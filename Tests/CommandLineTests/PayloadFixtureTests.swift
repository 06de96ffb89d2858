import Enriching
import TestSupport
import Testing

@Suite("Every pair of Fixtures/payloads", .servedByNginx)
struct PayloadFixtureTests {
  @Test("there are at least 68 pairs") func count() {
    #expect(PayloadFixture.all.count >= 68)
  }

  @Test(arguments: PayloadFixture.all)
  func comesOutAsExpected(fixture: PayloadFixture) async throws {
    let nginx = try #require(ServedByNginx.server)
    let input = fixture.served(from: nginx.httpOrigin)
    let enriched = try await enrich(input, reaching(nginx.httpPort) + fixture.arguments)
    if let reason = fixture.reason {
      return expectUnmodified(enriched, try #require(Reason(rawValue: reason)))
    }
    var attachments: [String] = []
    var names: Set<String> = []
    for attachment in fixture.attachments {
      let stored = try await StoredMedia(attachment.media, type: attachment.type)
      names.insert(stored.name)
      attachments.append(
        stored.attachment(attachment.identifier, type: attachment.type, options: attachment.options))
    }
    let member = #""\#(fixture.attachmentsKey)":[\#(attachments.joined(separator: ","))]"#
    #expect(enriched.run.output == String(decoding: inserting(member, into: input), as: UTF8.self))
    #expect(enriched.run.termination == .exited(0))
    #expect(enriched.outcome == "enriched")
    #expect(enriched.reason == nil)
    #expect(enriched.line.hasPrefix("push-enricher: enriched in "), "\(enriched.run.standardError)")
    #expect(enriched.stored == names.sorted())
  }
}
