/// A medium that a payload names.
package struct MediaReference: Equatable, Sendable {
  /// As sent, whatever it is: not checked, not resolved, never empty.
  package let url: String
  /// The sender's, or `media`, `media-2` and so on. No two references of a payload have the same.
  package internal(set) var identifier: String
  package internal(set) var typeHint: TypeHint?
  package internal(set) var options = AttachmentOptions()
  /// The name of the dialect by which it was found, for explanations.
  package let dialect: String
  /// Where the URL is in the payload, spelled as a `MediaKey`, for explanations.
  package let path: String
  /// How the medium is encrypted; nil if the payload says nothing of it.
  package internal(set) var coding: MediaCoding?
}

extension Payload {
  /// The media that the payload names, in the order of the table of dialects, each URL once.
  ///
  /// This project's own shape, the media keys and the providers' own objects all count. A flat key is looked
  /// at only when none of these names a medium, and a generic one only when nothing else does.
  ///
  /// - Parameters:
  ///   - mediaKeys: further places to look at. Each holds a URL, an object like this project's own `media`,
  ///     or an array of either.
  ///   - maximum: the most that are returned: thousands would take megabytes.
  /// - Returns: empty if the payload names no media. URLs are not checked here.
  package func mediaReferences(mediaKeys: [MediaKey] = [], atMost maximum: Int = .max) -> [MediaReference] {
    var references = search(mediaKeys: mediaKeys, atMost: maximum).found
    references.makeIdentifiersUnique()
    return references
  }

  /// Goes through all dialects.
  /// - Parameters: see `MediaSearch`.
  func search(
    mediaKeys: [MediaKey], atMost maximum: Int = .max, replacing replacements: [[UInt8]: [UInt8]] = [:]
  ) -> MediaSearch {
    var search = MediaSearch(object, atMost: maximum, replacing: replacements)
    let names = object.members.map(\.name)
    Dialect.own.forEachRow(for: names) { search.look(for: $0) }
    for key in mediaKeys { search.look(for: Dialect(mediaKey: key)) }
    Dialect.namespaced.forEachRow(for: names) { search.look(for: $0) }
    if search.found.isEmpty { Dialect.flat.forEachRow(for: names) { search.look(for: $0) } }
    if search.found.isEmpty {
      Dialect.generic.forEachRow(for: names) { if search.found.isEmpty { search.look(for: $0) } }
    }
    return search
  }
}

extension [MediaReference] {
  /// Gives each an identifier of its own. The first one with a sender's name keeps it, the next get `name-2`,
  /// `name-3` and so on; without a name, it is `media`.
  mutating func makeIdentifiersUnique() {
    // One alone is unique, without the tables that show it.
    guard count != 1 else {
      if self[0].identifier.isEmpty { self[0].identifier = "media" }
      return
    }
    // A made-up name must not take one from a sender's.
    let reserved = Set(map(\.identifier))
    var given: Set<String> = []
    // The last number tried for a name. Without it, ten thousand times the same name would be tried 50 million
    // times.
    var counters: [String: Int] = [:]
    for index in indices {
      let name = self[index].identifier
      if !name.isEmpty, given.insert(name).inserted { continue }
      let base = name.isEmpty ? "media" : name
      repeat {
        let number = counters[base, default: name.isEmpty ? 0 : 1] + 1
        counters[base] = number
        // Another made-up name has another base or another number.
        self[index].identifier = number == 1 ? base : "\(base)-\(number)"
      } while reserved.contains(self[index].identifier)
    }
  }
}
