/// The decrypted content of a payload: an object with alert fields, members of `aps`, and media.
package struct PlainContent: Sendable {
  private let object: JSONValue
  private var ignored: Set<String> = []

  /// Returns nil unless `document` is an object.
  package init?(_ document: JSONDocument) {
    guard document.root.kind == .object else { return nil }
    object = document.root
    for line in AlertLine.all {
      guard let key = object[line.key]?.utf8 else { continue }
      if key.isEmpty {
        // An empty key names no text, so its arguments are useless too.
        ignored.formUnion([line.key, line.arguments])
      } else if object[line.text]?.utf8?.isEmpty == true {
        // Beside a key, an empty text only means that the key is used instead.
        ignored.insert(line.text)
      }
    }
  }

  var withoutTexts: PlainContent {
    var copy = self
    copy.ignored.formUnion(AlertLine.all.flatMap { [$0.text, $0.key] })
    return copy
  }

  /// The alert fields to put into the payload.
  var alert: [JSONValue.Setting] { Self.alertFields.compactMap { read($0.key, $0.value) } }
  /// The other members of `aps` to put into the payload.
  var members: [JSONValue.Setting] { Self.apsMembers.compactMap { read($0.key, $0.value) } }

  /// The category among them; empty for a text that is not stream-safe.
  package var category: String? { object["category"].flatMap { $0.kind == .string ? $0.string ?? "" : nil } }

  /// Existing fields to remove, because iOS would show them instead of the new ones.
  var displaced: [String] {
    AlertLine.displaced(by: alert.map(\.name))
  }

  /// The media that the content names in `media`.
  /// - Parameters:
  ///   - other: the member with the URL of a picture to use if `media` is missing or `null`.
  ///   - maximum: the most media to return. Thousands would take megabytes.
  package func media(orIn other: String?, atMost maximum: Int = .max) -> [MediaEntry] {
    let name = object.given("media") == nil ? other : "media"
    guard let name, let value = object[name] else { return [] }
    return MediaEntry.entries(in: value, path: MediaKey.escape(name), atMost: maximum)
  }

  /// The names of members, and the kinds of values that count. All elements of an array are strings.
  private typealias Members = KeyValuePairs<String, [JSONValue.Kind]>

  /// developer.apple.com/documentation/usernotifications/generating-a-remote-notification
  private static let alertFields: Members = [
    "title": [.string], "subtitle": [.string], "body": [.string], "launch-image": [.string],
    "title-loc-key": [.string], "title-loc-args": [.array], "subtitle-loc-key": [.string],
    "subtitle-loc-args": [.array], "loc-key": [.string], "loc-args": [.array],
  ]

  private static let apsMembers: Members = [
    "sound": [.string, .object], "badge": [.number], "thread-id": [.string], "category": [.string],
    "interruption-level": [.string], "relevance-score": [.number],
  ]

  private func read(_ name: String, _ kinds: [JSONValue.Kind]) -> JSONValue.Setting? {
    guard !ignored.contains(name), let value = object[name], kinds.contains(value.kind),
      value.elements.allSatisfy({ $0.kind == .string })
    else { return nil }
    var writer = JSONWriter()
    if let text = value.utf8 { writer.string(text) } else { writer.raw(value.spelling.utf8) }
    return (name, writer.bytes)
  }
}
