/// README.md and the articles that it links to.
package struct Documentation: Sendable {
  /// One file, by its path from the root of the package.
  package struct Page: Sendable, CustomStringConvertible {
    package let path: String
    package let text: String

    package init(path: String) throws {
      self.path = path
      text = String(decoding: try Files.read("\(Fixtures.root)/\(path)"), as: UTF8.self)
    }

    package var description: String { path }

    /// Returns the contents of the code blocks in `language`.
    package func blocks(_ language: String) -> [String] {
      text.split(separator: "```\(language)\n", omittingEmptySubsequences: false).dropFirst().map {
        String($0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex))
      }
    }

    /// The anchors of its headings, as GitHub makes them: lower case, hyphens for spaces, no punctuation.
    package var anchors: Set<String> {
      Set(
        text.matches(of: #/(?m)^#+ (.+)$/#).map {
          $0.output.1.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }
            .replacing(" ", with: "-")
        })
    }
  }

  package static let folder = "Sources/push-enricher/push-enricher.docc"

  package static func readme() throws -> Page { try Page(path: "README.md") }

  package static func article(_ name: String) throws -> Page { try Page(path: "\(folder)/\(name).md") }

  /// README first, then the articles.
  package static func pages() throws -> [Page] {
    [try readme()]
      + (try Fixtures.files(in: "\(Fixtures.root)/\(folder)", ending: ".md").map {
        try Page(path: String($0.dropFirst(Fixtures.root.count + 1)))
      })
  }

  /// Returns the contents of the code blocks in `language` on all pages.
  package static func blocks(_ language: String) throws -> [String] {
    try pages().flatMap { $0.blocks(language) }
  }
}
