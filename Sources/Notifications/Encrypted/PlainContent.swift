/// The decrypted content of a payload: a JSON object with fields of the alert, members of `aps`, and media.
/// Other members are ignored.
package struct PlainContent: Sendable {
  private let object: JSONValue
  /// Names of fields that do not count.
  private var ignored: Set<String> = []

  /// - Returns: nil unless `document` is an object.
  package init?(_ document: JSONDocument) {
    guard document.root.kind == .object else { return nil }
    object = document.root
    for line in Self.lines {
      guard let key = object[line.key]?.utf8 else { continue }
      if key.isEmpty {
        // The key of no text. Arguments beside it are of no use.
        ignored.formUnion([line.key, line.arguments])
      } else if object[line.text]?.utf8?.isEmpty == true {
        // An empty text beside a key says only that there is no text.
        ignored.insert(line.text)
      }
    }
  }

  /// The same content without the texts of its alert.
  var withoutTexts: PlainContent {
    var copy = self
    copy.ignored.formUnion(Self.lines.flatMap { [$0.text, $0.key] })
    return copy
  }

  /// The fields of the alert, as they go into the payload.
  var alert: [JSONValue.Setting] { Self.alertFields.compactMap { read($0.key, $0.value) } }

  /// The other members of `aps`, as they go into the payload.
  var members: [JSONValue.Setting] { Self.apsMembers.compactMap { read($0.key, $0.value) } }

  /// Existing fields to remove, because iOS would show them instead of the new ones.
  var displaced: [String] {
    let present = Set(alert.map(\.name))
    let displaced = Self.lines.flatMap { line in
      (present.contains(line.text) ? [line.key, line.arguments] : [])
        + (present.contains(line.key) ? [line.text, line.arguments] : [])
    }
    return displaced.filter { !present.contains($0) }
  }

  /// The media that it names, in the form of this project's own `media`.
  /// - Parameters:
  ///   - other: a member that holds the URL of a picture for some senders, used if `media` is missing or
  ///     `null`.
  ///   - maximum: the most that are returned: thousands would take megabytes.
  package func media(orIn other: String?, atMost maximum: Int = .max) -> [MediaEntry] {
    if let media = object.given("media") {
      return MediaEntry.entries(in: media, path: "media", atMost: maximum)
    }
    guard let other, let value = object[other] else { return [] }
    return MediaEntry.entries(in: value, path: MediaKey.escape(other), atMost: maximum)
  }

  /// The lines of the alert, each a text, or the key of a localised text in the app with its arguments. iOS
  /// shows one of the two.
  private static let lines = [
    (text: "title", key: "title-loc-key", arguments: "title-loc-args"),
    (text: "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args"),
    (text: "body", key: "loc-key", arguments: "loc-args"),
  ]

  /// What a member must be if it is to be taken over.
  private enum Kind { case text, texts, number, textOrObject }

  /// developer.apple.com/documentation/usernotifications/generating-a-remote-notification, "Alert dictionary
  /// keys".
  private static let alertFields: KeyValuePairs<String, Kind> = [
    "title": .text, "subtitle": .text, "body": .text, "launch-image": .text,
    "title-loc-key": .text, "title-loc-args": .texts,
    "subtitle-loc-key": .text, "subtitle-loc-args": .texts,
    "loc-key": .text, "loc-args": .texts,
  ]

  private static let apsMembers: KeyValuePairs<String, Kind> = [
    "sound": .textOrObject, "badge": .number, "thread-id": .text, "category": .text,
    "interruption-level": .text, "relevance-score": .number,
  ]

  private func read(_ name: String, _ kind: Kind) -> JSONValue.Setting? {
    guard !ignored.contains(name), let value = object[name] else { return nil }
    let isOfKind =
      switch kind {
      case .text: value.kind == .string
      case .texts: value.kind == .array && value.elements.allSatisfy { $0.kind == .string }
      case .number: value.kind == .number
      case .textOrObject: value.kind == .string || value.kind == .object
      }
    guard isOfKind else { return nil }
    var writer = JSONWriter()
    if let text = value.utf8 { writer.string(text) } else { writer.raw(value.spelling.utf8) }
    return (name, writer.bytes)
  }
}
