/// The categories of a file, keyed by the identifier that payloads send in `aps.category`:
/// `{"MESSAGE":{"actions":[{"identifier":"reply","title":"Reply"}]}}`. A category may also be a bare list of actions.
package final class Categories: Sendable {
  /// In bytes. Enough for hundreds of categories.
  package static let maximumLength = 262_144
  private let categories: [String: Category]

  /// - Throws: the first mistake in the file.
  package init(_ bytes: [UInt8]) throws(CategoriesError) {
    let document = try Result { () throws(JSONError) in
      try JSONDocument(bytes, maximumDepth: 8, maximumLength: Self.maximumLength)
    }.mapError(CategoriesError.notJSON).get()
    var categories: [String: Category] = [:]
    var checker = CategoryChecker(isStrict: true, maximum: 1)
    let root = document.root
    if root.kind != .object { checker.note(.notA("an object of categories"), root, "") }
    for member in root.members {
      // Names the schema of the file, for editors.
      if member.isNamed("$schema") { continue }
      let name = member.name
      if name.isEmpty || name.utf8.count > CategoryProblem.maximumText {
        checker.note(.notA(CategoryProblem.text), member.key, "a category's name")
      } else if categories[name] != nil {
        checker.note(.repeated, member.key, name)
      }
      checker.check(category: member.value, at: name)
      if let finding = checker.findings.first { throw .mistake(finding) }
      categories[name] = Category(name, member.value)
    }
    if let finding = checker.findings.first { throw .mistake(finding) }
    self.categories = categories
  }

  subscript(name: String) -> Category? { categories[name] }
}

package enum CategoriesError: Error, Equatable, CustomStringConvertible {
  case notJSON(JSONError)
  case mistake(CategoryFinding)

  package var description: String {
    switch self {
    case .notJSON(let error): "\(error)"
    case .mistake(let finding): finding.advice
    }
  }
}
