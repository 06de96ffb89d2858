/// What a payload gets for its category: `actions` or `actions_url`, and a new identifier for the category.
/// A class, because async frames hold it while media are fetched, and a reference keeps them small.
package final class CategoryAddition: Sendable {
  /// The members that are added.
  static let (actions, properties, url) = ("actions", "actions_category", "actions_url")
  /// The attachments' member must not have any of these names.
  package static let names = [actions, properties, url]

  /// The identifier with its suffix.
  package let identifier: String
  /// How many actions the category has.
  package let count: Int
  /// Remarks for the author of the category, one sentence each.
  package let notes: [String]
  /// The content of the file behind `actions_url`.
  package let file: [UInt8]
  /// The category's identifier as it was sent.
  private let name: String
  private let place: JSONValue?
  private let isNamedByContent: Bool
  /// Adds actions to the payload's own list.
  private let list: [JSONEdit]
  private let members: [JSONValue.Setting]

  fileprivate init(
    _ category: Category, _ content: Category.Content, count: Int, notes: [String], at place: JSONValue?,
    isNamedByContent: Bool, list: [JSONEdit], members: [JSONValue.Setting]
  ) {
    (name, identifier, file) = (category.name, content.identifier, content.file)
    (self.count, self.notes, self.place) = (count, notes, place)
    (self.isNamedByContent, self.list, self.members) = (isNamedByContent, list, members)
  }

  /// The members to append to the payload.
  /// - Parameter url: the URL of a file with the actions, or nil to put the actions themselves into the payload.
  package func members(linking url: String?) -> [JSONValue.Setting] {
    url.map { [(Self.url, Self.json($0))] } ?? members
  }

  /// The changes to members that the payload already has.
  /// - Parameters:
  ///   - edits: the edits that disclose decrypted content. If they set the category, the result sets its new
  ///     identifier instead.
  ///   - url: the URL of a file with the actions, or nil to put the actions themselves into the payload.
  package func edits(after edits: [JSONEdit], linking url: String?) -> [JSONEdit] {
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
    return url == nil ? edits + list : edits
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
  /// - Parameter content: the category in decrypted content. It overrides the payload's.
  package func match(in categories: Categories, naming content: String? = nil) -> CategoryMatch {
    let place = category
    guard let name = content ?? place?.string else { return .none }
    guard let category = categories[name] else {
      return .nothing("the category '\(name.prefix(64))' is not in the --categories file")
    }
    let data = customData
    guard data?[CategoryAddition.url] == nil else {
      return .nothing("the payload has \(CategoryAddition.url) already: nothing is added for its category")
    }
    var properties = category.properties
    var notes: [String] = []
    if properties != nil, data?[CategoryAddition.properties] != nil {
      properties = nil
      notes.append("the payload's own \(CategoryAddition.properties) stays")
    }
    var members: [JSONValue.Setting] = []
    var list: [JSONEdit] = []
    var (merged, count) = (category.whole, category.actions.count)
    if let own = data?[CategoryAddition.actions] {
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
      let bytes = own.document.bytes
      merged = Category.Content(
        name, Array(bytes[own.range.lowerBound..<last] + tail.bytes + bytes[last..<own.range.upperBound]),
        properties)
    } else {
      if properties == nil, category.properties != nil {
        merged = Category.Content(name, category.whole.actions, nil)
      }
      members.append((CategoryAddition.actions, merged.actions))
    }
    if let properties { members.append((CategoryAddition.properties, properties)) }
    // A device would show no buttons at all under a new identifier without actions.
    guard count > 0 || properties != nil else {
      return .nothing("the category '\(name.prefix(64))' has no actions: it keeps its name")
    }
    if count > CategoryProblem.bannerActions {
      notes.append("a banner shows the first \(CategoryProblem.bannerActions) of the \(count) actions")
    }
    return .addition(
      CategoryAddition(
        category, merged, count: count, notes: notes, at: place, isNamedByContent: content != nil,
        list: list, members: members))
  }

  /// The value that names the category; nil if there is none.
  private var category: JSONValue? {
    guard let enclosure, let way = enclosure.envelope.category else { return object["aps"]?["category"] }
    return enclosure.message[way]
  }
}

extension [Category.Action] {
  /// The actions that iOS would show and whose identifiers the payload does not already have.
  /// - Returns: also how many it would not show.
  fileprivate func missing(in own: JSONValue) -> (added: [Category.Action], left: Int) {
    // iOS ignores the rest.
    let shown = [JSONValue](own.elements.prefix(CategoryProblem.maximumActions))
    let missing = filter { action in
      !shown.contains { $0["identifier"]?.isString(action.identifier) ?? false }
    }
    let added = missing.prefix(CategoryProblem.maximumActions - shown.count)
    return (Array(added), missing.count - added.count)
  }
}
