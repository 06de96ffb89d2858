import Enriching
import Notifications
import TestSupport
import Testing

@Suite("Every message of Fixtures/envelopes", .servedByNginx)
struct EnvelopeFixtureTests {
  @Test(
    "gets its attachments where the service passes them on, and no other byte changes",
    arguments: EnvelopeFixture.all)
  func attachments(fixture: EnvelopeFixture) async throws {
    let nginx = try #require(ServedByNginx.server)
    let input = fixture.served(from: nginx.httpOrigin)
    let enriched = try await enrich(Array(input.utf8), reaching(nginx.httpPort) + fixture.arguments)
    if let reason = fixture.reason {
      return expectUnmodified(enriched, try #require(Reason(rawValue: reason)))
    }
    #expect(enriched.run.termination == .exited(0))
    #expect(enriched.report?.root["envelope"]?.string == fixture.envelope)
    let payloads = enriched.report?.root["payloads"]?.elements.map { $0 } ?? []
    #expect(payloads.map { $0["at"]?.string } == fixture.places.map(\.path))
    #expect(payloads.map { $0["reason"]?.string } == fixture.places.map(\.reason))
    let result = try JSONDocument(enriched.run.standardOutput).root
    var inputs = [enriched.run.output]
    for place in fixture.places {
      let list = result[try MediaKey(place.path)]?["attachments"]
      guard place.reason == nil else {
        #expect(list == nil)
        continue
      }
      var attachments: [String] = []
      for attachment in place.attachments {
        let stored = try await StoredMedia(attachment.media, type: attachment.type)
        attachments.append(
          stored.attachment(attachment.identifier, type: attachment.type, options: attachment.options))
      }
      let expected = "[\(attachments.joined(separator: ","))]"
      #expect(list?.spelling == expected)
      inputs = inputs.flatMap { EnvelopeFixture.texts(before: $0, adding: expected, to: place) }
    }
    #expect(inputs.contains(input), "\(enriched.run.output)")
  }

  @Test("gets the URLs of stored files in place, and no other byte changes", arguments: EnvelopeFixture.all)
  func inPlace(fixture: EnvelopeFixture) async throws {
    let nginx = try #require(ServedByNginx.server)
    let input = Array(fixture.served(from: nginx.httpOrigin).utf8)
    let enriched = try await enrich(
      input, reaching(nginx.httpPort) + fixture.arguments + ["--write", "in-place"])
    guard let expected = fixture.inPlace else {
      return expectUnmodified(enriched, try #require(fixture.reason.flatMap { Reason(rawValue: $0) }))
    }
    #expect(
      enriched.run.output == expected.replacing("https://media.example", with: nginx.httpOrigin))
    #expect(enriched.run.termination == .exited(0))
  }

  @Test("is explained without a place if the message lacks even the object that would have the payload")
  func explainedWithoutPlace() async throws {
    let text = #"{"audience":"all","device_types":["ios"],"notification":{"alert":"a"}}"#
    let enriched = try await enrich(Array(text.utf8), ["--explain"])
    #expect(enriched.told.contains("envelope: airship, without a payload"), "\(enriched.told)")
  }

  @Test("is explained: which envelope, and where the payloads are", arguments: EnvelopeFixture.all)
  func explained(fixture: EnvelopeFixture) async throws {
    let nginx = try #require(ServedByNginx.server)
    let enriched = try await enrich(
      Array(fixture.served(from: nginx.httpOrigin).utf8),
      reaching(nginx.httpPort) + fixture.arguments + ["--explain"])
    let places = fixture.places.map(\.path).joined(separator: ", ")
    // Of a message without the object that would have the payload, the report names the message itself.
    let isMissing = fixture.envelope == "fcm" && places == "message"
    let found = isMissing ? "without a payload" : "payload at \(places)"
    #expect(enriched.told.contains("envelope: \(fixture.envelope), \(found)"), "\(enriched.told)")
    for place in fixture.places {
      guard let reason = place.reason else { continue }
      #expect(enriched.told.contains { $0.hasPrefix("left out \(place.path): \(reason): ") })
    }
  }
}
