/// What was encrypted in a payload: a JSON object with fields of the alert, members of `aps`, and media. Everything else in it
/// stays in it.
package struct PlainContent: Sendable {
  private let root: JSONValue

  /// - Returns: nil unless `document` is an object.
  package init?(_ document: JSONDocument) {
    guard document.root.kind == .object else { return nil }
    root = document.root
  }

  /// The fields of the alert, as they go into the payload.
  var alert: [(name: String, json: [UInt8])] { Self.alertFields.compactMap(read) }

  /// The other members of `aps`, as they go into the payload.
  var members: [(name: String, json: [UInt8])] { Self.apsMembers.compactMap(read) }

  /// What must not stand beside the fields that are there, because iOS would show it in their place.
  var displaced: Set<String> {
    let present = Self.alertFields.filter { read($0) != nil }
    return Set(present.flatMap(\.displaces)).subtracting(present.map(\.name))
  }

  /// The media that it names, in the form of this project's own `media`.
  /// - Parameter other: the member in which some senders have the URL of a picture, looked at when there is no `media`.
  package func media(orIn other: String?) -> [MediaEntry] {
    if let media = root["media"] { return MediaEntry.entries(in: media, path: "media") }
    guard let other, let value = root[other] else { return [] }
    return MediaEntry.entries(in: value, path: MediaKey.escape(other))
  }

  /// A member that may be taken over, if it is of its kind.
  private struct Field {
    enum Kind { case text, texts, number, textOrObject }

    let name: String
    let kind: Kind
    var displaces: [String] = []
  }

  /// developer.apple.com/documentation/usernotifications/generating-a-remote-notification, "Alert dictionary keys".
  private static let alertFields = [
    Field(name: "title", kind: .text, displaces: ["title-loc-key", "title-loc-args"]),
    Field(name: "subtitle", kind: .text, displaces: ["subtitle-loc-key", "subtitle-loc-args"]),
    Field(name: "body", kind: .text, displaces: ["loc-key", "loc-args"]),
    Field(name: "launch-image", kind: .text),
    Field(name: "title-loc-key", kind: .text, displaces: ["title", "title-loc-args"]),
    Field(name: "title-loc-args", kind: .texts),
    Field(name: "subtitle-loc-key", kind: .text, displaces: ["subtitle", "subtitle-loc-args"]),
    Field(name: "subtitle-loc-args", kind: .texts),
    Field(name: "loc-key", kind: .text, displaces: ["body", "loc-args"]),
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
    guard let value = root[field.name] else { return nil }
    let isOfKind =
      switch field.kind {
      case .text: value.kind == .string
      case .texts: value.kind == .array && value.elements.allSatisfy { $0.kind == .string }
      case .number: value.kind == .number
      case .textOrObject: value.kind == .string || value.kind == .object
      }
    guard isOfKind else { return nil }
    var writer = JSONWriter()
    if let text = value.string { writer.write(text) } else { writer.raw(value.spelling.utf8) }
    return (field.name, writer.bytes)
  }
}
