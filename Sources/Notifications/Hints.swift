/// What the sender of an unmodified payload may have meant.
extension Payload {
  private static let flagNames = ["mutable-content", "mutable_content", "mutableContent", "mutablecontent"]

  /// What the sender may have meant as the flag that lets an extension modify the push: its place and value.
  package var flagLookalike: String? {
    let message = enclosure?.message
    let places = [
      object["aps"].map { ("aps.", $0) }, ("", object), object["aps"]?["alert"].map { ("aps.alert.", $0) },
      message.map { ("", $0) },
    ]
    for (prefix, value) in places.compactMap(\.self) {
      for name in Self.flagNames {
        guard let flag = value.given(name), flag.range.count <= 32 else { continue }
        return "“\(prefix)\(name)”: \(flag.spelling)"
      }
    }
    return nil
  }

  /// The first text that is not a URL although a provider has a URL at its place. The place is spelled as a
  /// `MediaKey`.
  package var textInsteadOfURL: (place: String, text: String)? {
    MediaSearch(self, mediaKeys: [], atMost: 1, shapes: [.any]).found.first.flatMap {
      // Only names that the sender made up are that long.
      $0.path.utf8.count > 200 ? nil : ($0.path, $0.url)
    }
  }

  /// The place of `aps`, spelled as a `MediaKey`, and its kind, if the flag should be there but `aps` is no object.
  package var apsWithoutMembers: (place: String, kind: JSONValue.Kind)? {
    let path = place.path(to: ["aps"])
    guard let aps = object["aps"], aps.kind != .object, flagPath == "\(path).mutable-content" else {
      return nil
    }
    return (path, aps.kind)
  }

  /// The places of URLs, spelled as `MediaKey`s. URLs that end like media come first. Looks at the first thousand
  /// values. For a list, `*` stands for each of its elements: the next push may have more of them.
  package func keysOfURLs(atMost maximum: Int) -> [String] {
    // Most payloads without media have no URL at all.
    guard bytes.containsHTTP else { return [] }
    var search = URLSearch(generalizesLists: true)
    for place in searched { search.look(JSONPath.Place(value: place.value), depth: 12) }
    var keys: [String] = []
    for key in search.media + search.others where keys.count < maximum && !keys.contains(key) {
      keys.append(key)
    }
    return keys
  }
}

struct URLSearch {
  private(set) var media: [String] = []
  private(set) var others: [String] = []
  private var left = 1_000
  /// Whether the paths have `*` for the elements of a list of several objects or strings.
  private let generalizesLists: Bool

  init(generalizesLists: Bool = false) { self.generalizesLists = generalizesLists }

  /// Finds the URLs in a document, with their whole paths.
  static func all(in place: JSONPath.Place) -> URLSearch {
    var search = URLSearch()
    search.look(place, depth: 12)
    return search
  }

  mutating func look(_ place: JSONPath.Place, depth: Int) {
    guard depth > 0 else { return }
    for member in place.value.members {
      // A name that is too long for a command line is useless.
      guard left > 0, member.key.range.count <= 80 else { continue }
      visit(place.stepped(to: member.value, key: member.name), depth)
    }
    let isList = generalizesLists && place.value.isListOfOneKind
    for (index, element) in place.value.elements.enumerated() {
      guard left > 0 else { return }
      var next = place.stepped(to: element, key: String(index))
      if isList { next.path = place.path.isEmpty ? "*" : "\(place.path).*" }
      visit(next, depth)
    }
  }

  private mutating func visit(_ place: JSONPath.Place, _ depth: Int) {
    left -= 1
    guard let text = place.value.utf8 else { return look(place, depth: depth - 1) }
    guard place.path.utf8.count <= 200 else { return }
    if URLShape.web.fits(text, completes: false) {
      if URLShape.endsLikeMedia(text) {
        media.append(place.path)
      } else {
        others.append(place.path)
      }
    } else if place.value.looksLikeJSON {
      look(place.parsed, depth: depth - 1)
    }
  }
}

extension [UInt8] {
  /// In letters of any case.
  var containsHTTP: Bool {
    let h = UInt8(ascii: "h"), mark = Array("http".utf8), lowercase: UInt8 = 0x20
    var rest = self[...]
    while let index = rest.firstIndex(where: { $0 | lowercase == h }) {
      rest = rest[index...]
      if rest.prefix(mark.count).elementsEqual(mark, by: { $0 | lowercase == $1 }) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
