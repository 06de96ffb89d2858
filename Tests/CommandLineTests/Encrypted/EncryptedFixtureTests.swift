import Enriching
import Notifications
import TestSupport
import Testing

@Suite("Every pair of Fixtures/encrypted")
struct EncryptedFixtureTests {
  @Test("has the expected result") func all() async throws {
    let folder = "\(Fixtures.root)/Fixtures/encrypted"
    let cases = Fixtures.files(in: folder, ending: ".expected.json").map {
      $0.dropLast(".expected.json".count)
    }
    #expect(cases.count >= 12)
    try await withTemporaryDirectory { served in
      for file in Fixtures.files(in: Fixtures.media) + Fixtures.files(in: "\(folder)/media") {
        try served.write(Files.read(file), to: file.split(separator: "/").last.map { String($0) } ?? "")
      }
      try await withTemporaryDirectory { home in
        let sealing = try Sealing(home)
        try await withNginx(serving: served.path) { nginx in
          for path in cases { try await check(String(path), sealing, nginx) }
        }
      }
    }
  }

  private func check(_ path: String, _ sealing: Sealing, _ nginx: NginxServer) async throws {
    let text = String(decoding: try Files.read("\(path).json"), as: UTF8.self)
      .replacing("https://media.example", with: nginx.httpOrigin)
    let root = try JSONDocument(Array(text.utf8)).root
    let outer = try sealing.folder.write(Array((root["payload"]?.spelling ?? "").utf8), to: "outer.json")
    let payload = try await sealing.payload(
      root["content"]?.spelling ?? "", for: root["kid"]?.string ?? "",
      ["--into", outer] + (root["shape"]?.string.map { ["--shape", $0] } ?? []))
    let expected = try JSONDocument(Files.read("\(path).expected.json")).root
    let enriched = try await enrich(payload, reaching(nginx.httpPort) + ["--keys", sealing.keys])
    if let reason = expected["reason"]?.string {
      return expectUnmodified(enriched, try #require(Reason(rawValue: reason)))
    }
    #expect(enriched.run.termination == .exited(0), "\(path): \(enriched.run.standardError)")
    let result = try JSONDocument(enriched.run.standardOutput).root
    #expect(Self.compact(result["aps"]) == Self.compact(expected["aps"]), "\(path)")
    var attachments: [String] = []
    for attachment in expected["attachments"].map({ Array($0.elements) }) ?? [] {
      let type = attachment["type"]?.string ?? ""
      let stored = try await StoredMedia(attachment["media"]?.string ?? "", type: type)
      attachments.append(stored.attachment(attachment["identifier"]?.string ?? "", type: type))
    }
    let list = attachments.isEmpty ? nil : "[\(attachments.joined(separator: ","))]"
    #expect(result["attachments"]?.spelling == list, "\(path)")
    // The ciphertext is gone, and nothing else of the plaintext was added.
    #expect(
      result.members.map(\.name) == ["aps"] + (list == nil ? [] : ["attachments"]), "\(path)")
  }

  private static func compact(_ value: JSONValue?) -> String {
    value?.spelling.filter { !$0.isWhitespace } ?? ""
  }
}
