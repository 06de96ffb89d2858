import TestSupport
import Testing

/// Links and paths in README and in the articles.
@Suite("Links of the documentation")
struct LinkTests {
  @Test("lead to an existing file, and to a heading in it") func links() throws {
    for page in try Documentation.pages() {
      let folder = page.path.split(separator: "/").dropLast()
      for link in page.text.matches(of: #/\]\(([^)#\s]*)(?:#([^)]*))?\)/#) {
        let target = String(link.output.1)
        if target.hasPrefix("https://") { continue }
        var path = folder
        for step in target.split(separator: "/") where step != "." {
          if step == ".." { path = path.dropLast() } else { path.append(step) }
        }
        let place = target.isEmpty ? page.path : path.joined(separator: "/")
        #expect(Files.exists("\(Fixtures.root)/\(place)"), "\(page): \(link.output.0)")
        if let anchor = link.output.2, place.hasSuffix(".md") {
          let anchors = try Documentation.Page(path: place).anchors
          #expect(anchors.contains(String(anchor)), "\(page): \(link.output.0)")
        }
      }
    }
  }

  @Test("lead to every article from README and from the first page of the articles") func reach() throws {
    for start in [try Documentation.readme(), try Documentation.article("push-enricher")] {
      for page in try Documentation.pages().dropFirst() where page.path != start.path {
        let name = page.path.split(separator: "/").last ?? ""
        if name == "push-enricher.md" { continue }
        #expect(start.text.contains("\(name))"), "\(start) has no link to \(name)")
      }
    }
  }

  @Test("name existing folders and files of the package") func paths() throws {
    for page in try Documentation.pages() {
      for path in page.text.matches(of: #/`((Sources|Fixtures|Tests|\.ci)\/[A-Za-z0-9\/+.-]+)/#)
      where !path.output.1.hasSuffix("/C") {
        #expect(Files.exists("\(Fixtures.root)/\(path.output.1)"), "\(page): \(path.output.1)")
      }
    }
  }
}
