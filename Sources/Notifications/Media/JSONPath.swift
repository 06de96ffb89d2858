internal import Supporting

/// A path from one value of a document to zero or more others.
struct JSONPath: Sendable, ExpressibleByArrayLiteral {
  enum Step: Sendable, ExpressibleByStringLiteral {
    /// The member of an object, or the element of an array at this index.
    case key(String)
    /// Every element of an array, or any other value itself.
    case each
    case members
    /// Every element of an array and every member of an object.
    case any
    /// `Place.parsed`
    case parsed
    /// `parsed`, if that is an object or an array. A string in a string may be a URL that was quoted by
    /// mistake.
    case parsedContainer
    /// `parsed` without the backslashes in the string.
    case parsedWithoutBackslashes
    /// The object itself, if it has this string member.
    case having(String, String)
    /// The object itself, if it has a member of this name that is not `null`.
    case with(String)

    init(stringLiteral key: String) { self = .key(key) }
  }

  struct Place {
    let value: JSONValue
    /// The path taken, spelled as a `MediaKey`.
    var path = ""
    /// The name of the member, if the value was reached by the step `members`.
    var name: String?
    /// The string of JSON that contains the value, if any.
    var embedding: EmbeddedJSON?

    func stepped(to value: JSONValue, key: String) -> Place {
      let step = MediaKey.escape(key)
      return Place(value: value, path: path.isEmpty ? step : "\(path).\(step)", embedding: embedding)
    }

    func forEachElement(_ visit: (Place) -> Void) {
      for (index, element) in value.elements.enumerated() {
        visit(stepped(to: element, key: String(index)))
      }
    }

    /// The document in a string of JSON, even if it was encoded twice; this place if there is none.
    var parsed: Place { opened().map { $0.opened() ?? $0 } ?? self }

    /// The document in a string of JSON; nil if the value is not such a string.
    /// - Parameter stripped: a byte to take out of the text before it is read.
    fileprivate func opened(without stripped: UInt8? = nil) -> Place? {
      guard let text = value.utf8?.filter({ $0 != stripped }),
        let document = try? JSONDocument(text, maximumDepth: Payload.maximumDepth)
      else { return nil }
      return Place(
        value: document.root, path: path, embedding: EmbeddedJSON(value, in: embedding, without: stripped))
    }

    /// The path of a value below this place. All steps lead through objects.
    func path(to way: [String]) -> String {
      ([path].filter { !$0.isEmpty } + way.map(MediaKey.escape)).joined(separator: ".")
    }
  }

  let steps: [Step]

  init(arrayLiteral steps: Step...) { self.steps = steps }
  /// A place that a user names. Each value on the way may be JSON in a string, as in FCM's `data`.
  init(_ key: MediaKey) {
    steps =
      key.steps.enumerated().flatMap { index, name in
        [.parsed, key.wildcards.contains(index) ? .any : .key(name)]
      } + [.parsed]
  }
  init(steps: [Step]) { self.steps = steps }

  /// Calls `visit` with each place that the path leads to, in order. Makes no list, because it may be long.
  func visit(from place: Place, _ visit: (Place) -> Void) { follow(from: place, at: 0, visit) }

  /// The longest name that `any` stands for, in bytes. Each of thousands of places below has it in its path.
  private static let maximumName = 1_000

  /// - Parameter index: of the next step.
  private func follow(from start: Place, at index: Int, _ visit: (Place) -> Void) {
    var place = start
    for index in index..<steps.count {
      let value = place.value
      func goOn(from next: Place) { follow(from: next, at: index + 1, visit) }
      switch steps[index] {
      case .key(let key):
        guard let next = value.kind == .array ? Self.element(value, key) : value[key] else { return }
        place = place.stepped(to: next, key: key)
      case .each:
        guard value.kind == .array else { continue }
        return place.forEachElement(goOn)
      case .any:
        place.forEachElement(goOn)
        for member in value.members where member.key.range.count <= Self.maximumName {
          goOn(from: place.stepped(to: member.value, key: member.name))
        }
        return
      case .members:
        for member in value.members {
          var next = place.stepped(to: member.value, key: member.name)
          next.name = member.name
          goOn(from: next)
        }
        return
      case .parsed: place = place.parsed
      case .parsedContainer:
        guard value.looksLikeJSON else { continue }
        let parsed = place.parsed
        if [.object, .array].contains(parsed.value.kind) { place = parsed }
      case .parsedWithoutBackslashes: place = place.opened(without: UInt8(ascii: "\\")) ?? place
      case .with(let name): guard value.given(name) != nil else { return }
      case .having(let name, let text): guard value[name]?.isString(text) == true else { return }
      }
    }
    visit(place)
  }

  private static func element(_ array: JSONValue, _ digits: String) -> JSONValue? {
    guard digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return Int(digits).flatMap { array[$0] }
  }
}
