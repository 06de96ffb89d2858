/// Names a text by the markup at its start. Ignores case.
struct MarkupText {
  private var rest: ArraySlice<UInt8>
  /// For quotes, because `rest` is in lower case.
  private let original: [UInt8]

  init(_ bytes: [UInt8]) {
    original = bytes
    rest = bytes.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }[...]
  }

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
    if isXML, name == "error" || name == "errorresponse" {
      return Self.named("XML error document", "with the code", whole.quote(from: "<code>", to: "<"))
    }
    if Self.tagsOfHTML.contains(name) { return whole.nameOfPage() }
    // A comment or a declaration fills the whole text.
    if name.isEmpty, whole.contains("<svg") { return "SVG image" }
    if whole.contains("<html") || whole.contains("<body") { return whole.nameOfPage() }
    if isXML || whole.contains("</") || whole.contains("/>") { return "XML document" }
    return nil
  }

  /// The name of a text that `looksLikeJSON`. If it reports an error, its first code or status is part of the name.
  func nameOfJSON() -> String {
    let keys = ["code", "status", "statuscode", "status_code", "errorcode", "error_code", "error"]
    let code = keys.lazy.compactMap { valueInJSON(of: $0) }.first
    let isFailure = code.map { $0.count == 3 && ($0.hasPrefix("4") || $0.hasPrefix("5")) } ?? false
    guard isFailure || contains("\"error") else { return "JSON document" }
    return Self.named("JSON error document", "with the code", code)
  }

  /// A word or a number that is the value of the first `key`.
  private func valueInJSON(of key: String) -> String? {
    guard let end = end(of: "\"\(key)\"") else { return nil }
    let colon = rest[end...].drop(while: TextRule.isSpace)
    guard colon.first == UInt8(ascii: ":") else { return nil }
    let value = colon.dropFirst().drop { TextRule.isSpace($0) || $0 == UInt8(ascii: "\"") }
    let word = value.prefix { 0x30...0x39 ~= $0 || 0x61...0x7a ~= $0 || "-_.".utf8.contains($0) }
    return word.isEmpty ? nil : Excerpt.of(original[word.indices])
  }

  /// A page with a password field is a login page.
  private func nameOfPage() -> String {
    let isLogin = contains("type=\"password\"") || contains("type=password") || contains("type='password'")
    let title = end(of: "<title").flatMap { quote(from: ">", to: "</title", after: $0) }
    return Self.named(isLogin ? "HTML login page" : "HTML page", "titled", title)
  }

  private static func named(_ kind: String, _ relation: String, _ quote: String?) -> String {
    quote.map { "\(kind) \(relation) “\($0)”" } ?? kind
  }

  /// The original text between two words.
  private func quote(from start: String, to end: String, after offset: Int = 0) -> String? {
    guard let from = self.end(of: start, after: offset), let to = self.end(of: end, after: from) else {
      return nil
    }
    return Excerpt.of(original[from..<to - end.utf8.count])
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

  private func end(of word: String, after offset: Int = 0) -> Int? {
    let word = Array(word.utf8)
    for start in rest[max(offset, rest.startIndex)...].indices
    where rest[start] == word[0] && rest[start...].starts(with: word) {
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
