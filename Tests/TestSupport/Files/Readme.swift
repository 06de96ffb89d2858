/// README.md, and the blocks in it.
package struct Readme: Sendable {
  package let text: String

  package init() throws {
    text = String(decoding: try Files.read("\(Fixtures.root)/README.md"), as: UTF8.self)
  }

  /// The contents of the blocks that are marked as `language`.
  package func blocks(_ language: String) -> [String] {
    text.split(separator: "```\(language)\n").dropFirst().map {
      String($0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex))
    }
  }
}
