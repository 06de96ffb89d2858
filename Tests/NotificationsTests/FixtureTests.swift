import TestSupport
import Testing

@testable import Notifications

/// Every pair in Fixtures/payloads, as far as it can be tested without fetching anything.
@Suite struct FixtureTests {
  static let origin = "https://media.example/"

  @Test func thereAreFixtures() {
    let files = Files.names(in: Fixtures.payloads).filter { $0.hasSuffix(".json") }
    #expect(PayloadCase.all.count > 60)
    #expect(files.count == 2 * PayloadCase.all.count)
  }

  @Test(arguments: PayloadCase.all)
  func eligibility(fixture: PayloadCase) throws {
    let reasons = ["not-mutable": Ineligibility.notMutable, "no-alert": .noAlert]
    #expect(try Payload(fixture.bytes).ineligibility(pushType: nil) == fixture.reason.flatMap { reasons[$0] })
  }

  @Test(arguments: PayloadCase.all)
  func references(fixture: PayloadCase) throws {
    let references = try Payload(fixture.bytes).mediaReferences(mediaKeys: fixture.mediaKeys)
    let present = references.filter(Self.isAttached)
    switch (fixture.outcome, fixture.reason) {
    case ("enriched", nil):
      try #require(!fixture.attachments.isEmpty)
      let found = zip(present, fixture.attachments).map { reference, expected in
        PayloadCase.Expected(
          identifier: reference.identifier, media: Self.media(reference.url), type: expected.type,
          options: json(reference.options))
      }
      #expect(found == fixture.attachments)
      #expect(present.count == fixture.attachments.count)
    case ("unmodified", "no-media"): #expect(references == [])
    case ("unmodified", "not-mutable"), ("unmodified", "no-alert"): break
    case ("unmodified", .some): #expect(!references.isEmpty)
    default: Issue.record("the expected outcome is neither enriched nor unmodified with a reason")
    }
  }

  @Test(arguments: PayloadCase.all.filter { $0.outcome == "enriched" })
  func resultFits(fixture: PayloadCase) throws {
    let payload = try Payload(fixture.bytes)
    let key = fixture.values(of: "--attachments-key").first ?? "attachments"
    let edits = try payload.attaching(Self.attachments(payload, fixture), key: key)
    let result = try payload.applying(edits, maximumSize: 4096)
    let written = try #require(try JSONDocument(result).root[key])
    #expect(
      written.elements.map { $0["options"].map(canonical) ?? "{}" } == fixture.attachments.map(\.options))
    #expect(result.starts(with: fixture.bytes.prefix(written.range.lowerBound - key.utf8.count - 4)))
  }

  @Test func keyTaken() throws {
    let fixture = try PayloadCase(name: "attachments-key-taken")
    #expect(throws: RewritingError.keyTaken("attachments")) {
      try Payload(fixture.bytes).attaching([], key: "attachments")
    }
  }

  @Test func tooLarge() throws {
    let fixture = try PayloadCase(name: "payload-too-large")
    let payload = try Payload(fixture.bytes)
    let edits = try payload.attaching(Self.attachments(payload, fixture), key: "attachments")
    #expect(throws: RewritingError.tooLarge(size: 4296, maximum: 4096)) {
      try payload.applying(edits, maximumSize: 4096)
    }
    #expect(fixture.bytes.count <= 4096)
  }

  /// A dialect without a fixture would be untested.
  @Test func everyDialectHasAFixture() throws {
    var shown: Set<String> = []
    for fixture in PayloadCase.all where fixture.outcome == "enriched" {
      shown.formUnion(try Payload(fixture.bytes).mediaReferences().map(\.dialect))
    }
    #expect(MediaReference.dialects.filter { !shown.contains($0) } == [])
    #expect(Set(MediaReference.dialects).count == MediaReference.dialects.count)
  }

  /// Using a reference's path as a media key leads to the same URL.
  @Test(arguments: PayloadCase.all)
  func pathsAreMediaKeys(fixture: PayloadCase) throws {
    let payload = try Payload(fixture.bytes)
    for reference in try payload.mediaReferences(mediaKeys: fixture.mediaKeys) {
      let key = try MediaKey(reference.path)
      #expect(payload.mediaReferences(mediaKeys: [key]).map(\.url).contains(reference.url))
      #expect(key.description == reference.path)
    }
  }

  /// Whether the file is there, and is not a spare for another one that is there.
  private static func isAttached(_ reference: MediaReference) -> Bool {
    let missing = origin + "missing.jpg"
    return reference.url != missing && [nil, missing].contains(reference.spareFor)
  }

  private static func media(_ url: String) -> String {
    String(url.dropFirst(origin.count).prefix { $0 != "?" })
  }

  private static func attachments(_ payload: Payload, _ fixture: PayloadCase) throws -> [Notifications
    .Attachment]
  {
    let hash = String(repeating: "0123456789abcdef", count: 4)
    return try payload.mediaReferences(mediaKeys: fixture.mediaKeys)
      .filter(isAttached)
      .map {
        Notifications.Attachment(
          identifier: $0.identifier, url: "https://cdn.example/\(hash).jpg", type: "public.jpeg",
          size: 15_398, sha256: hash, options: $0.options)
      }
  }
}
