internal import Notifications
internal import Queueing
internal import Supporting

/// A pair of fixtures: a payload, and the expected result. The result is written as
/// `{"outcome":"enriched|unmodified","reason":"…","arguments":["--require-all"],
/// "attachments":[{"identifier":"…","media":"photo.jpg","type":"public.jpeg","options":{…}}],"aps":{…}}`,
/// with `aps` and `actions` only if they change. Sizes, digests and URLs follow from the file that `media` names.
/// A message in an envelope has `"payloads":[{"at":"message.apns.payload","attachments":[…]}]`.
struct DemoCase: DemoRow {
  static let widths = (name: 32, time: 8)
  static let heading = text(
    "payload", "outcome", "time", "APNs".padded(to: statusWidth) + "what is attached, or the reason")
  private static let statusWidth = 6
  /// Stands for the server of the media in the payloads.
  static let placeholder = "https://media.example"
  /// `placeholder` with escaped slashes, as PHP writes it, in JSON in a string.
  static let escapedPlaceholder = #"https:\\/\\/media.example"#
  static let publicURL = "https://cdn.example/"

  let sent: DemoPayload
  private let expected: JSONDocument
  private let media: DemoFolder

  /// - Parameters:
  ///   - media: the files that are served at `origin`.
  ///   - sender: makes the payload from the file. By default, the file is the payload.
  /// - Throws: `DemoError` that names the file that is missing or is not JSON.
  init(
    _ name: String, in folder: DemoFolder, media: DemoFolder, origin: String,
    sender: ([UInt8]) throws -> [UInt8] = { $0 }
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
    sent = DemoPayload(
      name: name, arguments: expected.root["arguments"]?.elements.compactMap(\.string) ?? [],
      bytes: try sender(
        [Self.placeholder, Self.escapedPlaceholder].reduce(file) {
          $0.replacing(Array($1.utf8), with: Array(origin.utf8))
        }))
  }

  static func text(status: Int?) -> String { (status.map { "\($0)" } ?? "–").padded(to: statusWidth) }

  func difference(from result: Message) -> String? {
    let outcome = expected.root["outcome"]?.string
    let reason = expected.root["reason"]?.string
    guard result.header(ResultHeader.outcome) == outcome, result.header(ResultHeader.reason) == reason else {
      return "it should be \(outcome ?? "?") \(reason ?? "")"
    }
    guard outcome == "enriched" else { return result.body == sent.bytes ? nil : "the payload was changed" }
    let document = try? JSONDocument(result.body)
    for place in places {
      let wanted = Self.attachments(in: place["attachments"]).map { medium in
        Self.summary(medium, size: medium["media"]?.string.flatMap { media.read($0)?.count })
      }
      let found = Self.attachments(in: list(of: place, in: document)).map {
        Self.summary($0, size: $0["size"]?.integer)
      }
      let payload = place["at"]?.string.map { " at \($0)" } ?? ""
      guard found == wanted else { return "the attachments\(payload) are \(found), not \(wanted)" }
    }
    for name in ["aps", "actions"] {
      guard let wanted = expected.root[name]?.compact else { continue }
      guard document?.root[name]?.compact == wanted else { return "\(name) is not \(wanted)" }
    }
    return nil
  }

  /// The reason, or the uniform type identifier of each attachment.
  func story(of result: Message?) -> String {
    guard let result else { return "" }
    if let reason = result.header(ResultHeader.reason) { return reason }
    let document = try? JSONDocument(result.body)
    let attachments = places.flatMap { Self.attachments(in: list(of: $0, in: document)) }
    let count = document?.root["actions"].map { $0.elements.reduce(0) { count, _ in count + 1 } } ?? 0
    let actions = count == 0 ? [] : [count == 1 ? "1 action" : "\(count) actions"]
    return (attachments.map { $0["type"]?.string ?? "?" } + actions).joined(separator: ", ")
  }

  /// The payloads of the message, each with its attachments.
  private var places: [JSONValue] { expected.root["payloads"].map { Array($0.elements) } ?? [expected.root] }

  /// The list of attachments in a payload of the result.
  private func list(of place: JSONValue, in document: JSONDocument?) -> JSONValue? {
    let key = sent.arguments.firstIndex(of: "--attachments-key").map { sent.arguments[$0 + 1] }
    let payload = place["at"]?.string.map { at in (try? MediaKey(at)).flatMap { document?.root[$0] } }
    return (payload ?? document?.root)?[key ?? "attachments"]
  }

  private static func attachments(in list: JSONValue?) -> [JSONValue] {
    list.map { Array($0.elements) } ?? []
  }

  private static func summary(_ attachment: JSONValue, size: Int?) -> [String] {
    [attachment["identifier"]?.string ?? "?", attachment["type"]?.string ?? "?", size.map { "\($0)" } ?? "?"]
  }
}

extension JSONValue {
  /// The value without spaces and escapes, for comparing.
  fileprivate var compact: String {
    switch kind {
    case .object: "{\(members.map { "\"\($0.name)\":\($0.value.compact)" }.joined(separator: ","))}"
    case .array: "[\(elements.map(\.compact).joined(separator: ","))]"
    case .string: "\"\(string ?? "")\""
    case .number, .boolean, .null: spelling
    }
  }
}
