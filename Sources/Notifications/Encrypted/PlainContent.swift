/// The decrypted content of a payload: a JSON object with fields of the alert, members of `aps`, and media.
/// Other members are ignored.
package struct PlainContent: Sendable {
  private let root: JSONValue
  /// Names of fields that do not count.
  private var ignored: Set<String> = []

  /// - Returns: nil unless `document` is an object.
  package init?(_ document: JSONDocument) {
    guard document.root.kind == .object else { return nil }
    root = document.root
    for line in Self.lines {
      guard let key = root[line.key]?.utf8 else { continue }
      if key.isEmpty {
        // The key of no text, and arguments beside it are for nothing.
        ignored.formUnion([line.key, line.arguments])
      } else if root[line.text]?.utf8?.isEmpty == true {
        // Beside a key, it says no more than that there is none.
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
  var alert: [(name: String, json: [UInt8])] { Self.alertFields.compactMap(read) }

  /// The other members of `aps`, as they go into the payload.
  var members: [(name: String, json: [UInt8])] { Self.apsMembers.compactMap(read) }

  /// Existing fields to remove, because iOS would show them instead of the new ones.
  var displaced: Set<String> {
    let present = Set(alert.map(\.name))
    let displaced = Self.lines.flatMap { line in
      (present.contains(line.text) ? [line.key, line.arguments] : [])
        + (present.contains(line.key) ? [line.text, line.arguments] : [])
    }
    return Set(displaced).subtracting(present)
  }

  /// The media that it names, in the form of this project's own `media`.
  /// - Parameters:
  ///   - other: a member that holds the URL of a picture for some senders, used if `media` is missing or
  ///     `null`.
  ///   - maximum: the most that are returned: thousands would take megabytes.
  package func media(orIn other: String?, atMost maximum: Int = .max) -> [MediaEntry] {
    if let media = root.given("media") {
      return MediaEntry.entries(in: media, path: "media", atMost: maximum)
    }
    guard let other, let value = root[other] else { return [] }
    return MediaEntry.entries(in: value, path: MediaKey.escape(other), atMost: maximum)
  }

  /// A line of the alert: a text, or the key of a localised text in the app with its arguments. iOS shows one
  /// of them.
  private struct Line {
    let text, key, arguments: String
  }

  private static let lines = [
    Line(text: "title", key: "title-loc-key", arguments: "title-loc-args"),
    Line(text: "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args"),
    Line(text: "body", key: "loc-key", arguments: "loc-args"),
  ]

  /// A member that may be taken over, if it is of its kind.
  private struct Field {
    enum Kind { case text, texts, number, textOrObject }

    let name: String
    let kind: Kind
  }

  /// developer.apple.com/documentation/usernotifications/generating-a-remote-notification, "Alert dictionary
  /// keys".
  private static let alertFields = [
    Field(name: "title", kind: .text),
    Field(name: "subtitle", kind: .text),
    Field(name: "body", kind: .text),
    Field(name: "launch-image", kind: .text),
    Field(name: "title-loc-key", kind: .text),
    Field(name: "title-loc-args", kind: .texts),
    Field(name: "subtitle-loc-key", kind: .text),
    Field(name: "subtitle-loc-args", kind: .texts),
    Field(name: "loc-key", kind: .text),
    Field(name: "loc-args", kind: .texts),
  ]

  private static let apsMembers = [
    Field(name: "sound", kind: .textOrObject),
    Field(name: "badge", kind: .number),
    Field(name: "thread-id", kind: .text),
    Field(name: "category", kind: .text),
    Field(name: "interruption-level", kind: .text),
    Field(name: "relevance-score", kind: .number),
  ]

  private func read(_ field: Field) -> (name: String, json: [UInt8])? {
    guard !ignored.contains(field.name), let value = root[field.name] else { return nil }
    let isOfKind =
      switch field.kind {
      case .text: value.kind == .string
      case .texts: value.kind == .array && value.elements.allSatisfy { $0.kind == .string }
      case .number: value.kind == .number
      case .textOrObject: value.kind == .string || value.kind == .object
      }
    guard isOfKind else { return nil }
    var writer = JSONWriter()
    if let text = value.utf8 { writer.string(text) } else { writer.raw(value.spelling.utf8) }
    return (field.name, writer.bytes)
  }
}
