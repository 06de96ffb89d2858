/// Names a text by the markup at its start. Ignores case.
struct MarkupText {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }[...] }

  func starts(with word: String) -> Bool { rest.starts(with: word.utf8) }

  mutating func skipSpace() { rest = rest.drop(while: TextRule.isSpace) }

  /// An object starts with a key, an array with a value.
  func looksLikeJSON() -> Bool {
    guard let first = rest.first, let next = rest.dropFirst().first(where: { !TextRule.isSpace($0) }) else {
      return false
    }
    switch first {
    case UInt8(ascii: "{"): return "\"}".utf8.contains(next)
    case UInt8(ascii: "["): return "\"{[]-0123456789tfn".utf8.contains(next)
    default: return false
    }
  }

  /// Returns nil for a text that starts with `<` for other reasons.
  mutating func markupName() -> String? {
    let whole = self
    var isXML = false
    repeat {
      skipSpace()
      isXML = isXML || starts(with: "<?xml")
    } while starts(with: "<?") ? skip(past: "?>") : starts(with: "<!--") && skip(past: "-->")
    let name = declaredName()
    if let known = Self.names[name] { return known }
    if name == "error", isXML { return "XML error document" }
    if Self.tagsOfHTML.contains(name) { return "HTML page" }
    // A comment or a declaration fills the whole text.
    if name.isEmpty, whole.contains("<svg") { return "SVG image" }
    if whole.contains("<html") || whole.contains("<body") { return "HTML page" }
    if isXML || whole.contains("</") || whole.contains("/>") { return "XML document" }
    return nil
  }

  /// The document type, or else the name of the first element, without its prefix.
  private func declaredName() -> String {
    var from = rest.dropFirst()
    if starts(with: "<!doctype") { from = rest.dropFirst(9).drop(while: TextRule.isSpace) }
    let name = from.prefix { 0x61...0x7a ~= $0 || 0x30...0x3a ~= $0 || $0 == 0x2d }
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return String(decoding: local, as: UTF8.self)
  }

  private mutating func skip(past word: String) -> Bool {
    guard let end = end(of: word) else { return false }
    rest = rest[end...]
    return true
  }

  private func contains(_ word: String) -> Bool { end(of: word) != nil }

  private func end(of word: String) -> Int? {
    let word = Array(word.utf8)
    for start in rest.indices where rest[start] == word[0] && rest[start...].starts(with: word) {
      return start + word.count
    }
    return nil
  }

  private static let names = ["svg": "SVG image", "rss": "RSS feed", "rdf": "RSS feed", "feed": "Atom feed"]

  /// Elements that may come first in a page or in a fragment of one.
  private static let tagsOfHTML: Set<String> = [
    "html", "head", "body", "title", "meta", "link", "script", "style", "base", "div", "span", "p", "a", "b",
    "br", "h1", "h2", "h3", "h4", "table", "ul", "ol", "li", "form", "iframe", "frameset", "center", "font",
    "img", "input", "button", "section", "article", "main", "nav", "header", "footer", "template", "noscript",
    "pre", "hr", "video", "audio", "canvas", "select", "textarea", "label", "strong", "em", "i", "dl",
  ]
}
