import TestSupport
import Testing

@testable import Notifications

@Suite struct JSONFidelityTests {
  @Test func everyValueIsFoundWhereItIs() throws {
    for seed in 0..<500 as Range<UInt64> {
      var generator = RandomJSON(seed: seed)
      let tree = generator.object()
      let text = generator.space() + tree.spelling + generator.space()
      let document = try JSONDocument(Array(text.utf8))
      #expect(document.bytes == Array(text.utf8))
      #expect(read(document.root) == tree, "seed \(seed): \(text)")
    }
  }

  @Test func attachingChangesNothingElse() throws {
    let attachment = Notifications.Attachment(
      identifier: "ü", url: "u", type: "t", size: 1, sha256: "0", options: AttachmentOptions())
    for seed in 0..<500 as Range<UInt64> {
      var generator = RandomJSON(seed: seed)
      let text = generator.space() + generator.object().spelling + generator.space()
      let payload = try Payload(Array(text.utf8))
      let result = try payload.applying(payload.attaching([attachment], key: "attachments"))

      let root = try JSONDocument(result).root
      let added = try #require(root.members.max { $0.value.range.upperBound < $1.value.range.upperBound })
      #expect(added.name == "attachments")
      #expect(added.value.spelling == "[\(json(attachment))]")
      let comma = Array(payload.object.members).isEmpty ? 0 : 1
      let start = added.key.range.lowerBound - comma
      #expect(Array(result[..<start] + result[added.value.range.upperBound...]) == payload.bytes)
      #expect(
        start
          == (payload.object.members.map(\.value.range.upperBound).max() ?? payload.object.range.lowerBound
            + 1))
    }
  }

  /// A broken text is either read or refused.
  @Test func brokenTextsDoNotTrap() throws {
    var random = SeededGenerator(seed: 7)
    let bytes = try Files.read(Fixtures.payloads + "/spelling.json")
    var refused = 0
    for _ in 0..<5_000 {
      var broken = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = broken.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0...2, using: &random) {
        case 0: broken[index] = UInt8.random(in: 0...255, using: &random)
        case 1: broken.removeSubrange(index...)
        default: broken.insert(bytes.randomElement(using: &random) ?? 0, at: index)
        }
        if broken.isEmpty { break }
      }
      guard let payload = try? Payload(broken) else {
        refused += 1
        continue
      }
      #expect(payload.bytes == broken)
      _ = payload.ineligibility(pushType: .alert)
      let urls = payload.mediaReferences().map { (sent: $0.url, stored: "https://cdn.example/a.jpg") }
      let replaced = try payload.applying(payload.replacing(urls).edits)
      #expect(try Payload(replaced).mediaReferences().count <= urls.count)
      _ = read(payload.object)
    }
    #expect((1..<5_000).contains(refused))
  }

  private func read(_ value: JSONValue) -> RandomJSON.Tree {
    switch value.kind {
    case .array: .array(value.spelling, value.elements.map(read))
    case .object:
      .object(value.spelling, value.members.map { .init(name: $0.key.spelling, value: read($0.value)) })
    default: .scalar(value.spelling)
    }
  }
}
