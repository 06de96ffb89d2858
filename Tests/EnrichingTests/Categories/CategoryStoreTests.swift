import Glibc
import Misbehaving
import Notifications
import Storing
import Synchronization
import TestSupport
import Testing

@testable import Enriching

@Suite("Actions of categories") struct CategoryStoreTests {
  private static let plain = #"{"M":[{"identifier":"reply","title":"Reply"}]}"#
  /// Actions that do not fit into a payload.
  private static let long =
    #"{"M":[{"identifier":"reply","title":"\#(String(repeating: "x", count: 990))"},"#
    + (0..<4).map { #"{"identifier":"\#($0)","title":"\#(String(repeating: "y", count: 990))"}"# }.joined(
      separator: ",") + "]}"
  private static let payload = #"{"aps":{"alert":"Hello","category":"M","mutable-content":1}}"#

  private func withCategories(
    _ text: String,
    _ body: (Enricher, TemporaryDirectory, TemporaryDirectory, Told) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await withTemporaryDirectory { store in
        let told = Told()
        var settings = try EnrichmentSettings.reaching(store: store)
        settings.categories = try folder.write(Array(text.utf8), to: "c.json")
        settings.warn = { line in told.lines.withLock { $0.append(line) } }
        try await body(try Enricher(settings: settings), folder, store, told)
      }
    }
  }

  private final class Told: Sendable { let lines = Mutex<[String]>([]) }

  @Test("are added to a payload without media") func added() async throws {
    try await withCategories(Self.plain) { enricher, _, store, _ in
      let enrichment = await enricher.enrich(try PushMessage(Array(Self.payload.utf8)))
      let text = String(decoding: enrichment.outcome.bytes, as: UTF8.self)
      #expect(
        text.hasSuffix(#","mutable-content":1},"actions":[{"identifier":"reply","title":"Reply"}]}"#),
        "\(text)")
      #expect(enrichment.report.category?.count == 1)
      #expect(store.names == [])
    }
  }

  @Test("that do not fit are in a file of the store") func linked() async throws {
    try await withCategories(Self.long) { enricher, _, store, _ in
      for _ in 0..<2 {
        let enrichment = await enricher.enrich(try PushMessage(Array(Self.payload.utf8)))
        let root = try JSONDocument(enrichment.outcome.bytes).root
        let name = try #require(store.names.first)
        #expect(store.names.count == 1)
        #expect(root["actions_url"]?.string == "https://cdn.example/\(name)")
        #expect(root["actions"] == nil)
        let list = try JSONDocument(Files.read(store.path(of: name))).root["actions"]
        #expect(list?.elements.map { $0["identifier"]?.string } == ["reply", "0", "1", "2", "3"])
        #expect(enrichment.report.category?.notes == ["a banner shows the first 4 of the 5 actions"])
      }
    }
  }

  @Test("follow the file, and the last good one stays in use") func replaced() async throws {
    try await withCategories(Self.plain) { enricher, folder, _, told in
      func text() async throws -> String {
        String(
          decoding: await enricher.enrich(try PushMessage(Array(Self.payload.utf8))).outcome.bytes,
          as: UTF8.self)
      }
      let first = try await text()
      try folder.write(Array("{\n\"M\":1}".utf8), to: "c.json")
      #expect(try await text() == first)
      #expect(try await text() == first)
      let path = folder.path(of: "c.json")
      #expect(
        told.lines.withLock { $0 } == [
          "the old categories stay in use: \(path): line 2, column 5 (byte 6): M is not an object or a list of actions"
        ])
      try folder.write(Array(Self.plain.replacing("Reply", with: "Answer").utf8), to: "c.json")
      #expect(try await text().contains(#""title":"Answer""#))
    }
  }

  @Test("that cannot be stored leave the payload as it came, and the store gets another chance")
  func storeFails() async throws {
    try await withTemporaryDirectory { folder in
      try await withS3Server { bucket in
        var settings = try EnrichmentSettings.reaching(store: folder)
        settings.store(in: bucket, spool: folder)
        // A busy machine may need seconds until the store has refused.
        settings.deadline = .seconds(6)
        settings.categories = try folder.write(Array(Self.long.utf8), to: "c.json")
        let enricher = try Enricher(settings: settings)
        let payload = try PushMessage(Array(Self.payload.utf8))
        let latch = Latch()
        defer { latch.open() }
        for (fault, reason) in [
          (S3Fault.refuses(.accessDenied), Reason.storeFailed), (.waits(latch), .deadlineExceeded),
        ] {
          bucket.recover()
          bucket.plan(fault)
          let enrichment = await enricher.enrich(payload)
          #expect(enrichment.outcome.bytes == payload.bytes)
          #expect(enrichment.outcome.failure?.reason == reason)
          #expect(bucket.keys() == [])
        }
        latch.open()
        bucket.recover()
        #expect(try await eventually { await enricher.enrich(payload).outcome.name == "enriched" })
        let name = try #require(bucket.keys().first)
        #expect(bucket.keys().count == 1)
        #expect(bucket.object(name)?.contentType == "application/json")
      }
    }
  }

  @Test("that fit in no way leave a payload without media as it came") func noRoom() async throws {
    try await withCategories(Self.long) { enricher, _, _, _ in
      func enrich(_ size: Int) async throws -> Enrichment {
        let filler = String(repeating: "a", count: size - Self.payload.utf8.count - #","x":"""#.utf8.count)
        return await enricher.enrich(
          try PushMessage(Array((Self.payload.dropLast() + #","x":"\#(filler)"}"#).utf8)))
      }
      // The identifier's suffix has 9 bytes, and `,"actions_url":"https://cdn.example/<sha256>.json"` 106.
      let longest = 4_096 - 9 - 106
      let fits = try await enrich(longest)
      #expect(fits.outcome.name == "enriched")
      #expect(fits.outcome.bytes.count == 4_096)
      #expect(try JSONDocument(fits.outcome.bytes).root["actions_url"] != nil)
      let full = try await enrich(longest + 1)
      #expect(full.outcome.failure?.reason == .payloadTooLarge)
      #expect(full.outcome.bytes.count == longest + 1)
    }
  }

  @Test("are stored, or left out, beside the text for media that cannot be had") func besideSubstitute()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        var settings = try EnrichmentSettings.reaching(server.port, store: folder)
        settings.categories = try folder.write(Array(Self.long.utf8), to: "c.json")
        settings.appliesTexts = true
        let enricher = try Enricher(settings: settings)
        let url = server.url(.serve(Response(status: 404)))
        for (filler, isLinked) in [(0, true), (3_850, false)] {
          let x = String(repeating: "a", count: filler)
          let text = #"\#(Self.payload.dropLast()),"_mediaUrl":"\#(url)","_mediaAlt":"No photo","x":"\#(x)"}"#
          let enrichment = await enricher.enrich(try PushMessage(Array(text.utf8)))
          let root = try JSONDocument(enrichment.outcome.bytes).root
          #expect(enrichment.outcome.name == "enriched")
          #expect(root["aps"]?["alert"]?["body"]?.string == "No photo")
          #expect((root["actions_url"] != nil) == isLinked && root["actions"] == nil)
        }
      }
    }
  }

  @Test("that fit in no way are left out of a payload with media") func noRoomBesideMedia() async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        var settings = try EnrichmentSettings.reaching(server.port, store: folder)
        settings.categories = try folder.write(Array(Self.long.utf8), to: "c.json")
        let enricher = try Enricher(settings: settings)
        let url = server.url(.serve(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg")))
        func enrich(_ filler: Int) async throws -> Enrichment {
          let text =
            Self.payload.dropLast() + #","media":"\#(url)","x":"\#(String(repeating: "a", count: filler))"}"#
          return await enricher.enrich(try PushMessage(Array(text.utf8)))
        }
        let small = try await enrich(0)
        #expect(try JSONDocument(small.outcome.bytes).root["actions_url"] != nil)
        // The width and the height of the photo are left out first.
        let filler = 4_096 - small.outcome.bytes.count + #","width":320,"height":240"#.utf8.count
        #expect(try JSONDocument(await enrich(filler).outcome.bytes).root["actions_url"] != nil)
        let full = try await enrich(filler + 1)
        let root = try JSONDocument(full.outcome.bytes).root
        #expect(full.outcome.name == "enriched")
        #expect(root["attachments"] != nil && root["actions_url"] == nil && root["actions"] == nil)
        #expect(root["aps"]?["category"]?.string == "M")
        #expect(
          full.report.category?.refusal == "there is no room for actions_url: the actions are left out")
      }
    }
  }

  @Test(
    "are added beside the media, in the object that the service passes on, which is made if it is missing")
  func service() async throws {
    try await withTemporaryDirectory { folder in
      try await withHostileServer { server in
        var settings = try EnrichmentSettings.reaching(server.port, store: folder)
        settings.categories = try folder.write(Array(Self.plain.utf8), to: "c.json")
        let enricher = try Enricher(settings: settings)
        let url = server.url(.serve(Response(.file("\(Fixtures.media)/photo.jpg"), as: "image/jpeg")))
        let text =
          #"{"to":"t","title":"x","mutableContent":true,"categoryId":"M","richContent":{"image":"\#(url)"}}"#
        let enrichment = await enricher.enrich(try PushMessage(Array(text.utf8)))
        let root = try JSONDocument(enrichment.outcome.bytes).root
        #expect(root.members.map(\.name).filter { $0 == "data" }.count == 1)
        #expect(root["data"]?.members.map(\.name) == ["actions", "attachments"])
        #expect(root["categoryId"]?.string?.hasPrefix("M-") == true)
      }
    }
  }

  @Test("that are not in the file are in the report, also that of a worker") func unknown() async throws {
    try await withCategories(Self.plain) { enricher, _, _, _ in
      let message = try PushMessage(Array(Self.payload.replacing(#""M""#, with: #""N""#).utf8))
      let refusal = "the category 'N' is not in the --categories file"
      for recordsPaths in [true, false] {
        let enrichment = await enricher.enrich(
          message, recording: EnrichmentProgress(recordsPaths: recordsPaths))
        #expect(enrichment.outcome.failure?.reason == .noMedia)
        #expect(enrichment.report.category?.refusal == refusal)
        #expect(try json(enrichment.report)["category"]?["detail"]?.string == refusal)
      }
    }
  }

  @Test("must be readable at the start, and not too long") func start() async throws {
    try await withTemporaryDirectory { folder in
      var settings = EnrichmentSettings()
      let path = folder.path(of: "c.json")
      settings.categories = path
      #expect(
        throws: SetupError.categories(
          CategoriesFileError(path: path, .unreadable("No such file or directory")))
      ) {
        try Enricher(settings: settings)
      }
      try folder.write([UInt8](repeating: 0x20, count: 262_145), to: "c.json")
      #expect(throws: SetupError.categories(CategoriesFileError(path: path, .tooLarge))) {
        try Enricher(settings: settings)
      }
    }
  }

  @Test(
    "the category of encrypted content counts",
    arguments: [
      Sealed.outer, Sealed.outer.replacing(#""mutable-content""#, with: #""category":"N","mutable-content""#),
    ])
  func encrypted(outer: String) async throws {
    try await withCategories(Self.plain) { _, _, _, _ in
      let categories = try Categories(Array(Self.plain.utf8))
      let sealed = try Payload(
        Sealer(try Sealed.ring()).seal(
          content: Array(#"{"body":"Hi","category":"M"}"#.utf8), keyID: "dev-7f3a", as: nil,
          into: Payload(Array(outer.utf8))))
      let content = try UnsealedContent(of: sealed, with: try Sealed.ring(), mediaKeys: [])
      guard case .addition(let addition) = sealed.match(in: categories, naming: content.category) else {
        Issue.record("no addition")
        return
      }
      let added = content.adding(addition)
      let bytes = try sealed.applying(added.edits + sealed.appending(added.members, after: added.edits))
      let root = try JSONDocument(bytes).root
      #expect(root["aps"]?["category"]?.string == addition.identifier)
      #expect(root["aps"]?["alert"]?["body"]?.string == "Hi")
      #expect(root["actions"]?[0]?["identifier"]?.string == "reply")
    }
  }
}
