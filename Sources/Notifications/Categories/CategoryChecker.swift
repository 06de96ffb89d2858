/// Checks categories and actions as iOS would.
struct CategoryChecker {
  /// Whether unknown members and `null` are problems. In a file, they are mistakes. In a payload, they may be for
  /// the app.
  let isStrict: Bool
  /// The most findings that are kept: a payload may have thousands.
  let maximum: Int
  private(set) var findings: [CategoryFinding] = []

  init(isStrict: Bool, maximum: Int) { (self.isStrict, self.maximum) = (isStrict, maximum) }

  private var isFull: Bool { findings.count >= maximum }

  mutating func note(_ problem: CategoryProblem, _ value: JSONValue, _ path: String) {
    if isFull { return }
    let position = JSONPosition(offset: value.range.lowerBound, in: value.document.bytes)
    findings.append(CategoryFinding(path: path, position: position, problem: problem))
  }

  /// - Parameter category: an object, or a list of actions alone.
  mutating func check(category: JSONValue, at path: String) {
    switch category.kind {
    case .array: check(actions: category, at: path)
    case .object: check(category, CategoryMember.category, at: path)
    default: note(.notA("an object or a list of actions"), category, path)
    }
  }

  mutating func check(actions: JSONValue, at path: String) {
    guard actions.kind == .array else { return note(.notA("a list of actions"), actions, path) }
    var identifiers: Set<String> = []
    for (index, action) in actions.elements.enumerated() {
      if isFull { return }
      let path = "\(path).\(index)"
      guard index < CategoryProblem.maximumActions else { return note(.tooMany, action, path) }
      check(action, CategoryMember.action, at: path)
      guard action.kind == .object else { continue }
      checkTogether(action, at: path)
      if let value = action["identifier"], let name = value.string, !identifiers.insert(name).inserted {
        note(.duplicateIdentifier(name.shortened), value, path)
      }
    }
  }

  /// Rules that no row can express: members that need or exclude others.
  private mutating func checkTogether(_ action: JSONValue, at path: String) {
    let titles = ["title", "title-loc-key"]
    let given = titles.count { action.given($0) != nil }
    if given != 1 { note(given == 0 ? .missing(titles) : .several(titles), action, path) }
    if action.given("title-loc-args") != nil, action.given("title-loc-key") == nil {
      note(.argumentsWithoutKey, action, path)
    }
    if let options = action["options"], action.given("textInput") != nil,
      options.elements.contains(where: { $0.isString("destructive") })
    {
      note(.destructiveInput, options, path)
    }
  }

  private mutating func check(_ object: JSONValue, _ rows: [CategoryMember], at path: String) {
    guard object.kind == .object else { return note(.notA("an object"), object, path) }
    if isStrict { checkNames(of: object, rows, at: path) }
    for row in rows {
      if let value = isStrict ? object[row.name] : object.given(row.name) {
        check(value, row.value, at: "\(path).\(row.name)")
      } else if row.isRequired {
        note(.missing([row.name]), object, path)
      }
    }
  }

  private mutating func checkNames(of object: JSONValue, _ rows: [CategoryMember], at path: String) {
    var seen: Set<String> = []
    for member in object.members {
      if isFull { return }
      let path = "\(path).\(member.name.shortened)"
      if let row = rows.first(where: { member.isNamed($0.name) }) {
        if !seen.insert(row.name).inserted { note(.repeated, member.key, path) }
      } else {
        note(.unknownMember(known: rows.map(\.name)), member.key, path)
      }
    }
  }

  private mutating func check(_ value: JSONValue, _ expected: CategoryMember.Value, at path: String) {
    switch expected {
    case .text: if !Self.isText(value) { note(.notA(CategoryProblem.text), value, path) }
    case .texts:
      if value.kind != .array || !value.elements.allSatisfy(Self.isText) {
        note(.notA("a list of strings"), value, path)
      }
    case .options(let known):
      guard value.kind == .array else { return note(.notA("a list of options"), value, path) }
      for option in value.elements where !known.contains(where: { option.isString($0) }) {
        if isFull { return }
        note(.unknownOption((option.string ?? option.kind.rawValue).shortened, known: known), option, path)
      }
    case .object(let rows): check(value, rows, at: path)
    case .choice(let rows):
      check(value, rows, at: path)
      let names = rows.map(\.name)
      let given = names.count { value.given($0) != nil }
      if value.kind == .object, given != 1 {
        note(given == 0 ? .missing(names) : .several(names), value, path)
      }
    case .actions: check(actions: value, at: path)
    }
  }

  private static func isText(_ value: JSONValue) -> Bool {
    (value.string?.utf8.count).map { 1...CategoryProblem.maximumText ~= $0 } ?? false
  }
}

extension String {
  /// For a message: names in a payload may have thousands of bytes.
  fileprivate var shortened: String { count > 64 ? "\(prefix(64))…" : self }
}

extension Payload {
  /// What iOS would drop from the payload's own actions, one clause each.
  package var actionFindings: [String] {
    guard let actions = customData?.given("actions") else { return [] }
    var checker = CategoryChecker(isStrict: false, maximum: 12)
    checker.check(actions: actions, at: "actions")
    return checker.findings.map(\.explanation)
  }
}
