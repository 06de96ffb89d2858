/// The places in a payload that get the URLs of stored files.
package struct URLReplacements: Sendable {
  package static let none = URLReplacements([])

  /// No two edits overlap.
  package let edits: [JSONEdit]
  private let paths: [[UInt8]: [String]]

  init(_ places: [MediaSearch.Replaced]) {
    var edits: [JSONEdit] = []
    var paths: [[UInt8]: [String]] = [:]
    // A media key may lead to a place that a dialect also covers.
    for place in places.sorted(by: { $0.edit.range.lowerBound < $1.edit.range.lowerBound })
    where place.edit.range.lowerBound >= edits.last?.range.upperBound ?? 0 {
      edits.append(place.edit)
      paths[place.url, default: []].append(place.path)
    }
    (self.edits, self.paths) = (edits, paths)
  }

  /// The paths of places where `url`, as sent, is replaced, in the order of the text (`MediaKey`s).
  package func paths(of url: String) -> [String] { paths[Array(url.utf8)] ?? [] }
}

extension Payload {
  /// Looks for the places of URLs as `mediaReferences` does, except for those of encrypted media.
  /// - Parameter urls: each URL of a medium as it was sent, once, with its new URL.
  package func replacing(
    _ urls: [(sent: String, stored: String)], mediaKeys: [MediaKey] = [], base: String? = nil
  ) -> URLReplacements {
    guard !urls.isEmpty else { return .none }
    let pairs = urls.map { (Array($0.sent.utf8), Array($0.stored.utf8)) }
    let replacements = Dictionary(pairs) { first, _ in first }
    return URLReplacements(
      MediaSearch(self, mediaKeys: mediaKeys, base: base, replacing: replacements).replaced)
  }
}
