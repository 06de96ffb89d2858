import Enriching
import Misbehaving
import TestSupport
import Testing

@Suite("The size of the result")
struct PayloadSizeTests {
  @Test(
    "is limited as APNs limits it, to the byte, by push type",
    arguments: [([], 4_096), (["--push-type", "alert"], 4_096), (["--push-type", "voip"], 5_120)])
  func edge(options: [String], maximum: Int) async throws {
    let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
    let added = #","attachments":[\#(photo.attachment(type: "public.jpeg", hasFacts: false))]"#.utf8.count
    try await withHostileServer { server in
      let url = server.url(.serve(.photo))
      let fits = try await enrich(Push.naming(url, size: maximum - added), reaching(server.port) + options)
      #expect(fits.outcome == "enriched", "\(fits.line)")
      #expect(fits.run.standardOutput.count == maximum)
      // The size of the picture is left out first.
      let roomy = try await enrich(
        Push.naming(url, size: maximum - added - photo.facts.utf8.count), reaching(server.port) + options)
      #expect(roomy.run.standardOutput.count == maximum)
      #expect(String(decoding: roomy.run.standardOutput, as: UTF8.self).contains(photo.facts))
      let exceeds = try await enrich(
        Push.naming(url, size: maximum - added + 1), reaching(server.port) + options)
      expectUnmodified(exceeds, .payloadTooLarge, saying: "\(maximum + 1) bytes, 1 more than the \(maximum)")
    }
  }

  @Test("text in all scripts stays as it is") func text() async throws {
    try await withHostileServer { server in
      let payload = Array(
        #"{"aps":{"alert":"Grüße 😀 \u00fc","mutable-content":1},"media":{"id":"höhe\n😀","url":"\#(server.url(.serve(.photo)))"}}"#
          .utf8)
      let enriched = try await enrich(payload, reaching(server.port))
      let photo = try await StoredMedia("photo.jpg", type: "public.jpeg")
      let attachment = photo.attachment(#"höhe\n😀"#, type: "public.jpeg")
      #expect(enriched.run.standardOutput == inserting(#""attachments":[\#(attachment)]"#, into: payload))
      // A line feed from the sender does not start a second line.
      #expect(enriched.line.contains(#"höhe\n😀 is a JPEG image"#), "\(enriched.run.standardError)")
    }
  }
}
