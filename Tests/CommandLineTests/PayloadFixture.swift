import Notifications
import TestSupport
import Testing

/// A pair of files in Fixtures/payloads: an input, and its expected output.
struct PayloadFixture: Sendable, CustomTestStringConvertible {
  struct Attachment: Sendable {
    let identifier, media, type: String
    /// Compact JSON, or empty.
    let options: String
  }

  let name: String
  let bytes: [UInt8]
  /// Nil if it is enriched.
  let reason: String?
  /// The options of the command line.
  let arguments: [String]
  let attachments: [Attachment]

  var testDescription: String { name }

  /// The name of the member with the attachments.
  var attachmentsKey: String {
    arguments.firstIndex(of: "--attachments-key").map { arguments[$0 + 1] } ?? "attachments"
  }

  /// The payload with its media on `origin` instead of https://media.example.
  func served(from origin: String) -> [UInt8] {
    Array(String(decoding: bytes, as: UTF8.self).replacing("https://media.example", with: origin).utf8)
  }

  static let all: [PayloadFixture] = {
    let suffix = ".expected.json"
    return Fixtures.files(in: Fixtures.payloads, ending: suffix).compactMap {
      try? .init(String($0.dropLast(suffix.count)))
    }
  }()

  private init(_ path: String) throws {
    name = path.split(separator: "/").last.map(String.init) ?? path
    bytes = try Files.read("\(path).json")
    let expected = try JSONDocument(Files.read("\(path).expected.json")).root
    reason = expected["outcome"]?.string == "enriched" ? nil : expected["reason"]?.string ?? "no reason"
    arguments = expected["arguments"]?.elements.compactMap(\.string) ?? []
    attachments = expected["attachments"]?.elements.map { Attachment($0) } ?? []
  }
}

extension PayloadFixture.Attachment {
  init(_ value: JSONValue) {
    identifier = value["identifier"]?.string ?? ""
    media = value["media"]?.string ?? ""
    type = value["type"]?.string ?? ""
    // No string in them contains a space.
    options = value["options"]?.spelling.filter { !$0.isWhitespace } ?? ""
  }
}
