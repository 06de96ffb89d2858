import Notifications
import TestSupport
import Testing

/// A pair of files in Fixtures/envelopes: a message with payloads in it, and its expected result.
struct EnvelopeFixture: Sendable, CustomTestStringConvertible {
  struct Place: Sendable {
    let path: String
    /// Nil if the payload is enriched.
    let reason: String?
    let attachments: [PayloadFixture.Attachment]
  }

  let testDescription: String
  let text: String
  let envelope: String
  /// Nil if a payload is enriched.
  let reason: String?
  /// The options of the command line.
  let arguments: [String]
  let places: [Place]
  /// The expected result of `--write in-place`; nil if nothing changes.
  let inPlace: String?

  /// The message with its media on `origin`.
  func served(from origin: String) -> String {
    // Some senders escape slashes, and a payload in a string has its own escapes.
    [#"https://media.example"#, #"https:\\/\\/media.example"#].reduce(text) { $0.replacing($1, with: origin) }
  }

  static let all: [EnvelopeFixture] = {
    let suffix = ".expected.json"
    return Files.names(in: Fixtures.envelopes).filter { $0.hasSuffix(suffix) }.compactMap {
      try? EnvelopeFixture(String($0.dropLast(suffix.count)))
    }
  }()

  private init(_ name: String) throws {
    func read(_ path: String) throws -> String {
      String(decoding: try Files.read("\(Fixtures.envelopes)/\(path)"), as: UTF8.self)
    }
    testDescription = name
    text = try read("\(name).json")
    inPlace = try? read("in-place/\(name).json")
    let expected = try JSONDocument(Files.read("\(Fixtures.envelopes)/\(name).expected.json")).root
    envelope = expected["envelope"]?.string ?? ""
    reason = expected["reason"]?.string
    arguments = expected["arguments"]?.elements.compactMap(\.string) ?? []
    places =
      expected["payloads"]?.elements.map { place in
        Place(
          path: place["at"]?.string ?? "", reason: place["reason"]?.string,
          attachments: place["attachments"]?.elements.map { .init($0) } ?? [])
      } ?? []
  }
}

extension EnvelopeFixture {
  /// Each text that becomes `result` if `list`, the spelling of a list of attachments, is written
  /// into a payload. It is escaped once for each string around the payload, and the object with
  /// custom data is made if it is missing.
  static func texts(before result: String, adding list: String, to place: Place) -> [String] {
    let name = place.path.split(separator: ".").last ?? ""
    let member = #""attachments":\#(list)"#
    let additions = [
      (#","\#(name)":{\#(member)}"#, ""), ("{\(member)}", "{}"), ("{\(member)}", "null"), (",\(member)", ""),
    ]
    return (0..<4).flatMap { level in
      additions.compactMap { added, before in
        let escaped = (0..<level).reduce(added) { text, _ in
          text.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
        }
        return result.contains(escaped) ? result.replacing(escaped, with: before, maxReplacements: 1) : nil
      }
    }
  }
}
