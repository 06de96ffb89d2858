/// A medium that a payload names.
package struct MediaReference: Equatable, Sendable {
  /// The URL as sent: not checked, not resolved, never empty.
  package let url: String
  /// The sender's identifier, or `media`, `media-2` and so on. Unique in a payload.
  package internal(set) var identifier: String
  package internal(set) var typeHint: TypeHint?
  package internal(set) var options = AttachmentOptions()
  package let dialect: String
  /// The place of the URL, spelled as a `MediaKey`, for explanations.
  package let path: String
  /// Nil if the payload does not mention encryption.
  package internal(set) var coding: MediaCoding?
  /// What completes a relative URL (`--base-url`).
  var base: String?
  /// The URL of the medium that this one stands in for. It is fetched only if that one fails.
  package internal(set) var spareFor: String?

  /// The URL to fetch: `url`, completed if necessary.
  package var address: String { base.map { $0 + url } ?? url }
}

extension Payload {
  /// The media that the payload names, in the order of `Dialect`'s table, each URL once.
  /// - Parameters:
  ///   - base: what relative URLs are completed with. If it is nil, relative URLs do not count.
  ///   - mediaKeys: further places. Each holds a URL, an object like this project's own `media`, or an array.
  ///   - maximum: the most media to return. Thousands would take megabytes.
  package func mediaReferences(
    mediaKeys: [MediaKey] = [], base: String? = nil, atMost maximum: Int = .max
  ) -> [MediaReference] {
    var references = MediaSearch(self, mediaKeys: mediaKeys, base: base, atMost: maximum).found
    references.makeIdentifiersUnique()
    return references
  }
}

extension [MediaReference] {
  /// The first reference with a name keeps it. The next ones get `name-2`, `name-3` and so on.
  /// References without a name are called `media`.
  mutating func makeIdentifiersUnique() {
    // Most payloads have one medium. Skipping the sets saves four allocations.
    if count == 1 {
      if self[0].identifier.isEmpty { self[0].identifier = "media" }
      return
    }
    // A generated name must not equal any name from the sender.
    let reserved = Set(map(\.identifier))
    var given: Set<String> = []
    // The last number tried for a name. Otherwise 10,000 equal names would take 50 million tries.
    var counters: [String: Int] = [:]
    for index in indices {
      let name = self[index].identifier
      if !name.isEmpty, given.insert(name).inserted { continue }
      let base = name.isEmpty ? "media" : name
      repeat {
        let number = counters[base, default: name.isEmpty ? 0 : 1] + 1
        counters[base] = number
        self[index].identifier = number == 1 ? base : "\(base)-\(number)"
      } while reserved.contains(self[index].identifier)
    }
  }
}
