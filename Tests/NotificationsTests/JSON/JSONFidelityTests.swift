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

  /// A payload in up to three strings of JSON, in any spelling: the text around the insertion stays,
  /// and the innermost text changes as if it were the message.
  @Test func attachingInStringsChangesNothingElse() throws {
    let attachment = Notifications.Attachment(
      identifier: #"ü"\"#, url: "u", type: "t", size: 1, sha256: "0", options: AttachmentOptions())
    for seed in 0..<500 as Range<UInt64> {
      var generator = RandomJSON(seed: seed)
      var random = SeededGenerator(seed: seed)
      let levels = Int(seed % 4)
      let object = generator.object().spelling
      let inner = levels > 0 ? generator.space() + object + generator.space() : object
      let text = (0..<levels).reduce(inner) { text, level in
        "\"\(RandomPayload.escape(level == 0 ? text : "{\"p\": \(text)}", &random))\""
      }
      let key = try MediaKey("place" + String(repeating: ".p", count: max(0, levels - 1)))
      let noise = generator.object().spelling
      let message = #"{"before":\#(noise), "place" :\#(text) ,"after":\#(noise)}"#
      let push = try PushMessage(Array(message.utf8), .places([key]))
      let payload = try #require(push.payloads.first, "seed \(seed): \(message)")

      let result = try payload.applying(payload.attaching([attachment], key: "attachments"))
      let same = zip(result, payload.bytes).prefix { $0 == $1 }.count
      let sameAtEnd = zip(result.reversed(), payload.bytes.reversed()).prefix { $0 == $1 }.count
      #expect(same + sameAtEnd >= payload.bytes.count, "seed \(seed): \(message)")
      let bare = try Payload(Array(inner.utf8))
      let expected = try bare.applying(bare.attaching([attachment], key: "attachments"))
      let found = try #require(try JSONDocument(result).root[key])
      #expect((levels > 0 ? found.document.bytes : Array(found.spelling.utf8)) == expected, "seed \(seed)")
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
