import Notifications
import TestSupport
import Testing

/// A pair of files in Fixtures/payloads: an input, and its expected output.
struct PayloadCase: CustomTestStringConvertible {
  struct Expected: Equatable {
    var identifier: String
    var media: String
    var type: String
    /// JSON in the form in which it is written.
    var options: String
  }

  let name: String
  let bytes: [UInt8]
  let outcome: String?
  let reason: String?
  let arguments: [String]
  let attachments: [Expected]

  var testDescription: String { name }

  /// The values of an option of the command line.
  func values(of option: String) -> [String] {
    zip(arguments, arguments.dropFirst()).filter { $0.0 == option }.map(\.1)
  }

  var mediaKeys: [MediaKey] {
    get throws { try values(of: "--media-key").map(MediaKey.init) }
  }

  static let all: [PayloadCase] = {
    let suffix = ".expected.json"
    let names = Files.names(in: Fixtures.payloads).filter { $0.hasSuffix(suffix) }
    return names.compactMap { try? PayloadCase(name: String($0.dropLast(suffix.count))) }
  }()

  init(name: String) throws {
    self.name = name
    bytes = try Files.read(Fixtures.payloads + "/\(name).json")
    let expected = try JSONDocument(Files.read(Fixtures.payloads + "/\(name).expected.json")).root
    outcome = expected["outcome"]?.string
    reason = expected["reason"]?.string
    arguments = expected["arguments"]?.elements.compactMap(\.string) ?? []
    attachments = expected["attachments"]?.elements.map { Expected($0) } ?? []
  }
}

extension PayloadCase.Expected {
  init(_ value: JSONValue) {
    identifier = value["identifier"]?.string ?? ""
    media = value["media"]?.string ?? ""
    type = value["type"]?.string ?? ""
    options = value["options"].map(canonical) ?? "{}"
  }
}

/// A value without its spaces, for comparisons.
func canonical(_ value: JSONValue) -> String {
  switch value.kind {
  case .object:
    "{" + value.members.map { "\($0.key.spelling):\(canonical($0.value))" }.joined(separator: ",") + "}"
  case .array: "[" + value.elements.map(canonical).joined(separator: ",") + "]"
  default: value.spelling
  }
}

/// The JSON that an attachment or its options are written as.
func json(_ value: some JSONWritable) -> String {
  var writer = JSONWriter()
  writer.write(value)
  return String(decoding: writer.bytes, as: UTF8.self)
}
