internal import Notifications
internal import Queueing

/// One pair of fixtures: a payload, and the expected result.
///
/// The expected file:
/// `{"outcome":"enriched|unmodified","reason":"…","arguments":["--require-all"],
/// "attachments":[{"identifier":"…","media":"photo.jpg","type":"public.jpeg","options":{…}}],"aps":{…}}`, the
/// last where that changes. Sizes, digests and URLs follow from the file that `media` names.
struct DemoCase: DemoRow {
  static let widths = (name: 25, time: 8)
  static let heading = text("payload", "outcome", "time", "what is attached, or the reason")

  /// The placeholder in the payloads for the server that their media are on.
  static let placeholder = "https://media.example"
  static let publicURL = "https://cdn.example/"

  let sent: DemoPayload
  private let expected: JSONDocument
  private let media: DemoFolder

  /// - Parameters:
  ///   - media: what is served at `origin`.
  ///   - origin: where the media really are.
  ///   - sender: what makes a payload of the file; nil where that is the payload.
  /// - Throws: `DemoError` that names the file which is missing or no JSON.
  init(
    _ name: String, in folder: DemoFolder, media: DemoFolder, origin: String,
    sender: (([UInt8]) throws -> [UInt8])? = nil
  ) throws {
    guard let file = folder.read("\(name).json"), let text = folder.read("\(name).expected.json") else {
      throw DemoError("\(folder.path)/\(name): a case is a pair, \(name).json and \(name).expected.json")
    }
    do throws(JSONError) {
      expected = try JSONDocument(text)
    } catch {
      throw DemoError("\(folder.path)/\(name).expected.json is not JSON: \(error)")
    }
    self.media = media
    let content = file.replacing(Array(Self.placeholder.utf8), with: Array(origin.utf8))
    sent = DemoPayload(
      name: name, arguments: expected.root["arguments"].map { $0.elements.compactMap(\.string) } ?? [],
      bytes: try sender.map { try $0(content) } ?? content)
  }

  func difference(from result: Message) -> String? {
    let outcome = expected.root["outcome"]?.string
    let reason = expected.root["reason"]?.string
    guard result.header(ResultHeader.outcome) == outcome,
      result.header(ResultHeader.reason) == reason
    else {
      return "it should be \(outcome ?? "?") \(reason ?? "")"
    }
    guard outcome == "enriched" else { return result.body == sent.bytes ? nil : "the payload was changed" }
    let wanted = Self.attachments(in: expected.root["attachments"]).map { medium in
      Self.summary(medium, size: medium["media"]?.string.flatMap { media.read($0)?.count })
    }
    let arguments = sent.arguments
    let key = arguments.firstIndex(of: "--attachments-key").map { arguments[$0 + 1] } ?? "attachments"
    let document = try? JSONDocument(result.body)
    let found = Self.attachments(in: document?.root[key]).map { Self.summary($0, size: $0["size"]?.integer) }
    guard found == wanted else { return "attached are \(found), not \(wanted)" }
    guard let aps = expected.root["aps"].map({ CompactJSON($0).text }) else { return nil }
    return document?.root["aps"].map { CompactJSON($0).text } == aps ? nil : "aps is not \(aps)"
  }

  /// The reason, or the uniform type identifier of each attachment.
  func story(of result: Message?) -> String {
    guard let result else { return "" }
    if let reason = result.header(ResultHeader.reason) { return reason }
    let attachments = Self.attachments(in: (try? JSONDocument(result.body))?.root["attachments"])
    return attachments.map { $0["type"]?.string ?? "?" }.joined(separator: ", ")
  }

  private static func attachments(in list: JSONValue?) -> [JSONValue] {
    list.map { Array($0.elements) } ?? []
  }

  private static func summary(_ attachment: JSONValue, size: Int?) -> [String] {
    [attachment["identifier"]?.string ?? "?", attachment["type"]?.string ?? "?", size.map { "\($0)" } ?? "?"]
  }
}

/// A value of a document written anew without spaces, to be compared.
private struct CompactJSON: JSONWritable {
  let value: JSONValue

  init(_ value: JSONValue) { self.value = value }

  var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  func write(to writer: inout JSONWriter) {
    switch value.kind {
    case .object: writer.object { for member in value.members { $0.member(member.name, Self(member.value)) } }
    case .array: writer.array { for element in value.elements { $0.write(Self(element)) } }
    case .string: writer.write(value.string ?? "")
    case .number, .boolean, .null: writer.raw(value.spelling.utf8)
    }
  }
}
