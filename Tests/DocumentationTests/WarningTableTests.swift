import Sniffing
import TestSupport
import Testing

@Test("the article Results lists all kinds of warnings, in the order of the program")
func warningsAreListed() throws {
  let text = try Documentation.article("Results").text
  let section = try #require(text.split(separator: "\n## ").first { $0.hasPrefix("What iOS may not show\n") })
  let kinds = section.matches(of: #/\n\| `([a-z0-9-]+)` \|/#).map { String($0.output.1) }
  #expect(kinds == MediaWarning.allCases.map(\.rawValue))
}
