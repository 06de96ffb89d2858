/// The decrypted content of a payload: an object with alert fields, members of `aps`, and media.
package struct PlainContent: Sendable {
  private let object: JSONValue
  private let style: Style
  private var ignored: Set<String> = []

  /// How the content of some senders differs from the usual.
  package struct Style: Sendable {
    /// Whether the case of member names does not matter (ASCII).
    package var ignoresCase = false
    /// Whether the body has HTML's character references, such as `&amp;` for `&`.
    package var hasEntities = false
    /// The sender's names of members, keyed by the usual ones.
    package var names: [String: String] = [:]

    package init() {}
  }

  /// - Returns: nil unless `document` is an object.
  package init?(_ document: JSONDocument, _ style: Style = Style()) {
    guard document.root.kind == .object else { return nil }
    object = document.root
    self.style = style
    for line in AlertLine.all {
      guard let key = member(line.key)?.utf8 else { continue }
      if key.isEmpty {
        // An empty key names no text, so its arguments are useless too.
        ignored.formUnion([line.key, line.arguments])
      } else if member(line.text)?.utf8?.isEmpty == true {
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
  package var category: String? { member("category").flatMap { $0.kind == .string ? $0.string ?? "" : nil } }

  /// Existing fields to remove, because iOS would show them instead of the new ones.
  var displaced: [String] {
    AlertLine.displaced(by: alert.map(\.name))
  }

  /// The media that the content names in `media`.
  /// - Parameters:
  ///   - other: the member with the URL of a picture to use if `media` is missing or `null`.
  ///   - maximum: the most media to return. Thousands would take megabytes.
  package func media(orIn other: String?, atMost maximum: Int = .max) -> [MediaEntry] {
    let own = member("media").flatMap { $0.kind == .null ? nil : $0 }
    let name = own == nil ? other : "media"
    guard let name, let value = own ?? member(name) else { return [] }
    return MediaEntry.entries(in: value, path: MediaKey.escape(name), atMost: maximum)
  }

  /// Names of members and the kinds of values that count. Arrays must contain only strings.
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
    guard !ignored.contains(name), let value = member(name), kinds.contains(value.kind),
      value.elements.allSatisfy({ $0.kind == .string })
    else { return nil }
    var writer = JSONWriter()
    if name == "body", style.hasEntities, let text = value.utf8,
      !JSONEscape.hasLoneSurrogate(value.spelledText ?? [])
    {
      writer.string(HTMLEntities.decode(text).span)
    } else if value.kind == .string {
      writer.string(value)
    } else {
      writer.raw(value.spelling.utf8)
    }
    return (name, writer.bytes)
  }

  /// The last member of that name, as in Foundation.
  private func member(_ name: String) -> JSONValue? {
    let name = style.names[name] ?? name
    guard style.ignoresCase else { return object[name] }
    var found: JSONValue?
    for member in object.members {
      guard let key = member.key.utf8, key.count == name.utf8.count else { continue }
      let isSame = zip(key, name.utf8).allSatisfy {
        $0 == $1 || 0x61...0x7a ~= $1 && $0 == $1 - 0x20
      }
      if isSame { found = member.value }
    }
    return found
  }
}
