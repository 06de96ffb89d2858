import Notifications
import TestSupport
import Testing

/// An option in a table of the article, or in the help of the program.
private struct ListedOption: Equatable {
  let name: String
  /// The name of the value; empty for a flag.
  let value: String
  let defaultText: String
  /// Without the markup and the links of the article, as one sentence.
  let meaning: String
  let isRepeatable: Bool

  /// A row of the article: `| --store DIR | ./attachments | directory that … |`.
  init?(row: Substring) {
    guard let match = row.wholeMatch(of: #/\| `(--[a-z-]+)(?: ([^`]+))?` \| ?(.*?) ?\| (.*) \|/#) else {
      return nil
    }
    name = String(match.output.1)
    value = String(match.output.2 ?? "")
    defaultText = match.output.3.filter { $0 != "`" }
    isRepeatable = match.output.4.hasSuffix("; repeatable")
    meaning = Self.comparable(match.output.4)
  }

  /// - Parameter description: an entry of `--experimental-dump-help`.
  init?(description: JSONValue) {
    guard let kind = description["kind"]?.string, kind != "positional",
      let help = description["abstract"]?.string, let name = description["preferredName"]?["name"]?.string,
      !name.hasPrefix("no-"),
      // `--config` cannot be in the file that it names, and the others are not settings.
      !["config", "explain", "help", "push-type", "report", "version"].contains(name)
    else { return nil }
    self.name = "--\(name)"
    let parts = help.split(separator: " (default: ", maxSplits: 1)
    defaultText = parts.count > 1 ? String(parts[1].dropLast()) : ""
    isRepeatable = parts[0].hasSuffix(" Repeatable.")
    let sentence = parts[0].replacing(" Repeatable.", with: "").dropLast()
    meaning = Self.comparable(sentence)
    let value = kind == "flag" ? "" : description["valueName"]?.string ?? ""
    let isList = value.hasSuffix(",…") || sentence.hasSuffix("by commas")
    self.value = isList ? "LIST" : value.uppercased()
  }

  private static func comparable(_ text: some StringProtocol) -> String {
    String(text).replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.output.1) }
      .filter { !"`'".contains($0) }.lowercased()
  }
}

@Suite("Tables of options")
struct OptionTableTests {
  @Test("have each option with its value, its default and its help, and no others")
  func options() async throws {
    let rows = try Documentation.article("Options").text.split(separator: "\n").compactMap {
      ListedOption(row: $0)
    }
    let dump = try await PushEnricher.run(["work", "--experimental-dump-help"]).standardOutput
    let arguments = try #require(try JSONDocument(dump).root["command"]?["arguments"])
    let options = arguments.elements.compactMap { ListedOption(description: $0) }
    #expect(options.count >= 28)
    #expect(rows.map(\.name).sorted() == options.map(\.name).sorted())
    for option in options {
      let row = try #require(rows.first { $0.name == option.name })
      #expect(row.value == option.value, "\(option.name)")
      #expect(row.defaultText == option.defaultText, "\(option.name)")
      #expect(row.isRepeatable == option.isRepeatable, "\(option.name)")
      #expect(row.meaning.hasPrefix(option.meaning), "\(option.name): \(row.meaning), not \(option.meaning)")
    }
  }
}
