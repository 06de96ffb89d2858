import Enriching
import TestSupport
import Testing

/// Input that is not a payload.
struct BadInput: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let bytes: [UInt8]
  /// The part of the message that says what is wrong and where.
  let says: String

  init(_ what: String, _ bytes: [UInt8], _ says: String) {
    testDescription = what
    self.bytes = bytes
    self.says = says
  }

  init(_ what: String, _ text: String, _ says: String) { self.init(what, Array(text.utf8), says) }

  static let all: [BadInput] = [
    .init("nothing", "", "is not a payload: it is empty"),
    .init("blanks", " \n\t", "line 2, column 2 (byte 3): found the end of the text"),
    .init("words", "hello", "line 1, column 1 (byte 0): found “h”"),
    .init("half an object", "{\"aps\":\n {", "line 2, column 3 (byte 10): found the end of the text"),
    .init("two objects", "{}{}", "line 1, column 3 (byte 2): found “{”, expected nothing more"),
    .init("a byte order mark", "\u{feff}{}", "line 1, column 1 (byte 0): starts with a byte order mark"),
    .init(
      "no UTF-8", [UInt8](#"{"a":""#.utf8) + [0xff, 0x22, 0x7d], "line 1, column 7 (byte 6): not valid UTF-8"),
    .init("binary", (0...255).map { UInt8($0) }, "line 1, column 1 (byte 0): found byte 0x00"),
    .init("an array", "[1]", "a payload is a JSON object, and this is a list without payloads in it"),
    .init("a number", "1", "and this is a number"),
    .init(
      "513 arrays inside each other", String(repeating: "[", count: 513),
      "line 1, column 513 (byte 512): more than 512"),
    .init(
      "a million arrays", String(repeating: "[", count: 65_536),
      "line 1, column 513 (byte 512): more than 512"),
    .init("one byte too many", "{}" + String(repeating: " ", count: 65_535), "longer than 64 KiB"),
    .init("a megabyte", [UInt8](repeating: 0x20, count: 1_000_000), "longer than 64 KiB"),
  ]
}

@Suite("Input that is not a payload")
struct BadInputTests {
  @Test("ends with status 65 and one line that says where", arguments: BadInput.all)
  func isRefused(input: BadInput) async throws {
    let enriched = try await enrich(input.bytes)
    #expect(enriched.run.standardOutput == [])
    #expect(enriched.run.termination == .exited(65))
    #expect(
      enriched.line.hasPrefix("push-enricher: stdin is not a payload: "), "\(enriched.run.standardError)")
    #expect(enriched.line.contains(input.says), "\(enriched.line)")
  }

  @Test("is reported with the name of its file") func file() async throws {
    try await withTemporaryDirectory { folder in
      let path = try folder.write([0x5b], to: "push.json")
      let run = try await PushEnricher.run(["enrich", path])
      #expect(run.termination == .exited(65))
      #expect(run.standardOutput == [])
      #expect(
        run.standardError.hasPrefix("push-enricher: \(path) is not a payload: not JSON: line 1, column 2"))
    }
  }

  @Test("64 KB of JSON are still a payload") func largest() async throws {
    let input = Array("{}".utf8) + [UInt8](repeating: 0x20, count: 65_534)
    expectUnmodified(try await enrich(input), .noAPS)
  }
}
