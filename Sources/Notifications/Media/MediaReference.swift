/// A medium that a payload names.
package struct MediaReference: Equatable, Sendable {
  /// As sent, whatever it is: not checked, not resolved, never empty.
  package let url: String
  /// The sender's, or `media`, `media-2` and so on. No two references of a payload have the same.
  package let identifier: String
  package let typeHint: TypeHint?
  package let options: AttachmentOptions
  /// The name of the dialect by which it was found, for explanations.
  package let dialect: String
  /// Where the URL is in the payload, spelled as a `MediaKey`, for explanations.
  package let path: String

  /// How the medium is encrypted; nil where the payload says nothing of it.
  package let coding: MediaCoding?

  package init(
    url: String, identifier: String, typeHint: TypeHint? = nil, options: AttachmentOptions = .init(),
    dialect: String, path: String, coding: MediaCoding? = nil
  ) {
    self.url = url
    self.identifier = identifier
    self.typeHint = typeHint
    self.options = options
    self.dialect = dialect
    self.path = path
    self.coding = coding
  }
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
    search(mediaKeys: mediaKeys, atMost: maximum).references
  }

  /// Goes through all dialects.
  /// - Parameters: see `MediaSearch`.
  func search(
    mediaKeys: [MediaKey], atMost maximum: Int = .max, replacing replacements: [[UInt8]: [UInt8]] = [:]
  ) -> MediaSearch {
    var search = MediaSearch(root, atMost: maximum, replacing: replacements)
    let names = root.members.map(\.name)
    Dialect.own.forEachRow(for: names) { search.look(for: $0) }
    for key in mediaKeys { search.look(for: Dialect(mediaKey: key)) }
    Dialect.namespaced.forEachRow(for: names) { search.look(for: $0) }
    if search.isEmpty { Dialect.flat.forEachRow(for: names) { search.look(for: $0) } }
    if search.isEmpty {
      Dialect.generic.forEachRow(for: names) { if search.isEmpty { search.look(for: $0) } }
    }
    return search
  }
}
