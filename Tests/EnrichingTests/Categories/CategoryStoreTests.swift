import Glibc
import Notifications
import Synchronization
import TestSupport
import Testing

@testable import Enriching

@Suite("Actions of categories") struct CategoryStoreTests {
  private static let plain = #"{"M":[{"identifier":"reply","title":"Reply"}]}"#
  /// Too long for a payload.
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
          "the old categories stay in use: \(path): line 2, column 5 (byte 6): M is not an object: write an object"
        ])
      try folder.write(Array(Self.plain.replacing("Reply", with: "Answer").utf8), to: "c.json")
      #expect(try await text().contains(#""title":"Answer""#))
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
      let bytes = try sealed.applying(addition.edits(after: content.edits))
      let root = try JSONDocument(bytes).root
      #expect(root["aps"]?["category"]?.string == addition.identifier)
      #expect(root["aps"]?["alert"]?["body"]?.string == "Hi")
      #expect(root["actions"]?[0]?["identifier"]?.string == "reply")
    }
  }
}
