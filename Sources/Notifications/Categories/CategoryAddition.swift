/// What a payload gets for its category: `actions`, or `actions_url`, and another identifier in
/// `aps.category`. A class, because frames hold it while media are fetched.
package final class CategoryAddition: Sendable {
  /// The members that are added.
  static let (actions, properties, url) = ("actions", "actions_category", "actions_url")
  /// No attachments can have one of these names.
  package static let names = [actions, properties, url]

  /// The identifier with its suffix.
  package let identifier: String
  /// How many actions the category has.
  package let count: Int
  /// Remarks for the author of the category, one sentence each.
  package let notes: [String]
  /// The content of the file behind `actions_url`.
  package let file: [UInt8]
  /// Of the category's identifier, as it was sent.
  private let name: String
  private let place: JSONValue?
  private let isNamedByContent: Bool
  private let list: [JSONEdit]
  /// After the last member of the payload.
  private let end: Int

  fileprivate init(
    _ category: Category, _ content: Category.Content, count: Int, notes: [String], to payload: Payload,
    at place: JSONValue?, isNamedByContent: Bool, list: [JSONEdit], end: Int
  ) {
    (name, identifier, file) = (category.name, content.identifier, content.file)
    (self.count, self.notes, self.place) = (count, notes, place)
    (self.isNamedByContent, self.list, self.end) = (isNamedByContent, list, end)
  }

  /// The changes of the payload.
  /// - Parameters:
  ///   - edits: those that disclose decrypted content. They may set the category, and then have its new
  ///     identifier in the result.
  ///   - url: of a file with the actions, if they are not to be in the payload.
  package func edits(after edits: [JSONEdit], linking url: String? = nil) -> [JSONEdit] {
    var edits = edits
    if isNamedByContent {
      let (old, new) = (Self.json(name), Self.json(identifier))
      let key = Array(#""category":"#.utf8)
      edits = edits.map { edit in
        let replacement =
          edit.range == place?.range ? new : edit.replacement.replacing(key + old, with: key + new)
        return JSONEdit(edit.range, replacement)
      }
    } else if let place {
      edits.append(JSONEdit(place.range, Self.json(identifier)))
    }
    guard let url else { return edits + list }
    var writer = JSONWriter(isAfterValue: true)
    writer.member(Self.url, url)
    return edits + [JSONEdit(end..<end, writer.bytes)]
  }

  private static func json(_ text: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(text)
    return writer.bytes
  }
}

/// What a file of categories offers a payload.
package enum CategoryMatch: Sendable {
  /// The payload names no category.
  case none
  case addition(CategoryAddition)
  /// Why nothing is added, as a sentence.
  case nothing(String)
}

extension Payload {
  /// - Parameter content: the category in decrypted content, which counts more than the payload's.
  package func match(in categories: Categories, naming content: String? = nil) -> CategoryMatch {
    let place = object["aps"]?["category"]
    guard let name = content ?? place?.string else { return .none }
    guard let category = categories[name] else {
      return .nothing("the category '\(name.prefix(64))' is not in the file of --categories")
    }
    guard object[CategoryAddition.url] == nil else {
      return .nothing("the payload has \(CategoryAddition.url) already: nothing is added for its category")
    }
    var end = object.range.lowerBound + 1
    for member in object.members { end = member.value.range.upperBound }
    var properties = category.properties
    var notes: [String] = []
    if properties != nil, object[CategoryAddition.properties] != nil {
      properties = nil
      notes.append("the payload's own \(CategoryAddition.properties) stays")
    }
    var writer = JSONWriter(isAfterValue: true)
    var list: [JSONEdit] = []
    var (merged, count) = (category.whole, category.actions.count)
    if let own = object[CategoryAddition.actions] {
      guard own.kind == .array else {
        return .nothing("the payload's own actions are not a list: nothing is added for its category")
      }
      let (added, left) = category.actions.missing(in: own)
      if left > 0 {
        notes.append(
          "iOS shows \(CategoryProblem.maximumActions) actions at most: \(left) of the file's are left out")
      }
      var last = own.range.lowerBound + 1
      count = added.count
      for element in own.elements { (last, count) = (element.range.upperBound, count + 1) }
      var tail = JSONWriter(isAfterValue: count > added.count)
      for action in added { tail.raw(action.json) }
      if !added.isEmpty { list.append(JSONEdit(last..<last, tail.bytes)) }
      let bytes = object.document.bytes
      merged = Category.Content(
        name, Array(bytes[own.range.lowerBound..<last] + tail.bytes + bytes[last..<own.range.upperBound]),
        properties)
    } else {
      if properties == nil, category.properties != nil {
        merged = Category.Content(name, category.whole.actions, nil)
      }
      writer.member(CategoryAddition.actions, json: merged.actions)
    }
    if let properties { writer.member(CategoryAddition.properties, json: properties) }
    if !writer.bytes.isEmpty { list.append(JSONEdit(end..<end, writer.bytes)) }
    if count > CategoryProblem.bannerActions {
      notes.append("a banner shows the first \(CategoryProblem.bannerActions) of the \(count) actions")
    }
    return .addition(
      CategoryAddition(
        category, merged, count: count, notes: notes, to: self, at: place, isNamedByContent: content != nil,
        list: list, end: end))
  }
}

extension [Category.Action] {
  /// The actions that iOS would show and whose identifiers the payload does not already have.
  /// - Returns: also how many it would not show.
  fileprivate func missing(in own: JSONValue) -> (added: [Category.Action], left: Int) {
    // iOS shows no more.
    let shown = [JSONValue](own.elements.prefix(CategoryProblem.maximumActions))
    let missing = filter { action in
      !shown.contains { $0["identifier"]?.isString(action.identifier) ?? false }
    }
    let added = missing.prefix(CategoryProblem.maximumActions - shown.count)
    return (Array(added), missing.count - added.count)
  }
}
