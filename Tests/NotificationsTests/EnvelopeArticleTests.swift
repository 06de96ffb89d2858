import TestSupport
import Testing

@testable import Notifications

/// The table in the article about envelopes, held to the table in the code.
@Suite("The article about envelopes")
struct EnvelopeArticleTests {
  private static let rows: [[Substring]] = {
    let path = "\(Fixtures.root)/Sources/push-enricher/push-enricher.docc/Envelopes.md"
    let text = String(decoding: (try? Files.read(path)) ?? [], as: UTF8.self)
    return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
      row.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false)
    }
  }()

  @Test("has a row for each envelope, in the order of the code") func names() {
    #expect(Self.rows.map { $0.first.map(String.init) } == Envelope.known.map { "`\($0.name)`" })
  }

  @Test("says where attachments go, what is read, and what is counted", arguments: Envelope.known.indices)
  func places(index: Int) throws {
    let (row, envelope) = (Self.rows[index], Envelope.known[index])
    try #require(row.count == 6)
    func names(_ paths: [[String]]) -> [Substring] { paths.compactMap { $0.last?[...] } }
    if !envelope.payload.isEmpty { #expect(row[2] == "`\(envelope.payload.joined(separator: "."))`") }
    for name in names(envelope.alert) where name != "title" && name != "body" || envelope.name != "fcm" {
      #expect(row[4].contains(name), "\(name)")
    }
    for name in names(envelope.counted) { #expect(row[5].contains(name), "\(name)") }
    for location in envelope.media.rows.flatMap(\.locations) {
      guard let name = location.topName else { continue }
      #expect(row[4].contains(name), "\(name)")
    }
    for name in names(envelope.flags) { #expect(row[3].contains(name), "\(name)") }
    if envelope.flags.isEmpty { #expect(row[3] == "always") }
  }

  @Test("is followed by the one about categories, with the place of each") func categories() throws {
    let path = "\(Fixtures.root)/Sources/push-enricher/push-enricher.docc/Categories.md"
    let text = String(decoding: try Files.read(path), as: UTF8.self)
    for place in Envelope.known.compactMap(\.category) {
      #expect(text.contains("`\(place.joined(separator: "."))` of "), "\(place)")
    }
  }
}
